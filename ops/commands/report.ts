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
import { PERIODS_BEFORE, readRequestReport } from '../../shared/node/contact/request-report.ts';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { addDays, formatDay } from '../../shared/time.ts';
import { readDay } from '../cli/arguments.ts';
import { OpsError, withSession, type CommandContext, type Session } from '../cli/session.ts';
import type { Terminal } from '../cli/terminal.ts';

interface Options {
  readonly from?: string;
  readonly to?: string;
}

function printBars({ printTable }: Terminal, name: string, bars: readonly ReportBar[]): void {
  if (bars.length === 0) return;
  printTable(
    [name, 'requests', 'before'],
    bars.map(({ label, requests, before }) => [label, requests, before]),
  );
}

async function printReport({ config, database, terminal }: Session, { from, to }: Options): Promise<void> {
  const { timeZone } = config;
  const last = to ?? addDays(formatDay(Date.now(), timeZone), -1);
  const first = from ?? addDays(last, -6);
  if (first > last) throw new OpsError(`The report would end (${last}) before it begins (${first}).`);
  const period = { from: first, to: last, timeZone };
  const report = await readRequestReport(database, period, createResponsePromise(config.followUp));
  terminal.print(`Requests from ${first} to ${last} (${timeZone}); before: the mean of the ${PERIODS_BEFORE} periods as long before.`);
  terminal.printTable(
    ['', 'value', 'before'],
    listMetrics(report).map(({ name, value, before }) => [name, value, before]),
  );
  printBars(terminal, 'source', listSources(report));
  const results = listSourceResults(report).map(({ label, unfitPercent, medianMs }) => [label, `${unfitPercent}%`, showDuration(medianMs)]);
  if (results.length > 0) terminal.printTable(['source', 'not a fit', 'median time to an answer'], results);
  printBars(terminal, 'industry', listIndustries(report));
  printBars(terminal, 'answered by', listAnswers(report));
}

/** `report` */
export function addReport(program: Command, context: CommandContext): void {
  program
    .command('report')
    .description('what became of the requests of some days, beside the periods before; the weekly mail says the same')
    .option('--from <date>', 'first day, such as 2026-11-16; else six days before the last', readDay)
    .option('--to <date>', 'last day; else yesterday', readDay)
    .action(withSession(context, printReport));
}
