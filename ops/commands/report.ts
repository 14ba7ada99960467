import type { Command } from 'commander';
import {
  listAnswers,
  listIndustries,
  listMetrics,
  listSourceResults,
  listSources,
  showDuration,
  type ReportBar,
} from '../../shared/node/contact/report-metrics.ts';
import {
  PREVIOUS_PERIODS,
  readRequestReport,
  type ReportMetrics,
  type RequestReport,
} from '../../shared/node/contact/request-report.ts';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { addDays, formatDay, Second } from '../../shared/time.ts';
import { readDay } from '../cli/arguments.ts';
import { OpsError, withSession, type CommandContext, type Session } from '../cli/session.ts';
import { toJson, type Terminal } from '../cli/terminal.ts';

interface Options {
  readonly from?: string;
  readonly to?: string;
  readonly json?: true;
}

const toSeconds = (ms: number | null) => (ms === null ? null : Math.round(ms / Second));

const toJsonMetrics = ({ requests, decided, metWithin, answered, medianMs, percentile90Ms, ...rest }: ReportMetrics) => ({
  requests,
  answered,
  decided,
  answered_in_time: metWithin,
  median_answer_seconds: toSeconds(medianMs),
  p90_answer_seconds: toSeconds(percentile90Ms),
  ...rest,
});

/** Returns the report for JSON. `metrics_before` and `requests_before` are sums over all earlier periods. */
const toJsonReport = ({ period, metrics, metricsBefore, sources, industries, answers }: RequestReport) => ({
  from: period.from,
  to: period.to,
  time_zone: period.timeZone,
  metrics: toJsonMetrics(metrics),
  periods_before: PREVIOUS_PERIODS,
  metrics_before: toJsonMetrics(metricsBefore),
  sources: sources.map(({ value, requests, requestsBefore, unfit, medianMs }) => ({
    ...{ source: value, requests, requests_before: requestsBefore, unfit, median_answer_seconds: toSeconds(medianMs) },
  })),
  industries: industries.map(({ value, requests, requestsBefore }) => ({ industry: value, requests, requests_before: requestsBefore })),
  answers: answers.map(({ value, requests, requestsBefore }) => ({ by: value, requests, requests_before: requestsBefore })),
});

function printBars({ printTable }: Terminal, name: string, bars: readonly ReportBar[]): void {
  if (bars.length === 0) return;
  printTable(
    [name, 'requests', 'before'],
    bars.map(({ label, requests, before }) => [label, requests, before]),
  );
}

async function printReport({ config, database, terminal }: Session, { from, to, json }: Options): Promise<void> {
  const { timeZone } = config;
  const last = to ?? addDays(formatDay(Date.now(), timeZone), -1);
  const first = from ?? addDays(last, -6);
  if (first > last) throw new OpsError(`The last day (${last}) is before the first day (${first}).`);
  const period = { from: first, to: last, timeZone };
  const report = await readRequestReport(database, period, createResponsePromise(config.followUp));
  if (json) return terminal.print(toJson(toJsonReport(report), 2));

  terminal.print(`Requests from ${first} to ${last} (${timeZone}); before: the mean of the ${PREVIOUS_PERIODS} preceding periods of the same length.`);
  terminal.printTable(
    ['', 'value', 'before'],
    listMetrics(report).map(({ name, value, before }) => [name, value, before]),
  );
  printBars(terminal, 'source', listSources(report));
  const results = listSourceResults(report).map(({ label, unfitPercent, medianMs }) => [label, `${unfitPercent}%`, showDuration(medianMs)]);
  if (results.length > 0) terminal.printTable(['source', 'not a fit', 'median time to answer'], results);
  printBars(terminal, 'industry', listIndustries(report));
  printBars(terminal, 'answered by', listAnswers(report));
}

/** Adds the command `report`. */
export function addReport(program: Command, context: CommandContext): void {
  program
    .command('report')
    .description('report on the requests in a date range and their outcomes, compared with earlier periods, as in the weekly mail')
    .option('--from <date>', 'first day, such as 2026-11-16; default six days before the last day', readDay)
    .option('--to <date>', 'last day; default yesterday', readDay)
    .option('--json', 'print JSON')
    .action(withSession(context, printReport));
}
