import { stringify } from 'csv-stringify/sync';
import { formatCount } from '../../shared/format-count.ts';
import {
  describeMetWithin,
  listAnswers,
  listIndustries,
  listMetrics,
  listSourceResults,
  listSources,
  computePreviousMean,
  showDuration,
  type ReportBar,
} from '../../shared/node/contact/report-metrics.ts';
import {
  type ReportMetrics,
  type RequestReport,
  readRequestReport,
  type ReportPeriod,
} from '../../shared/node/contact/request-report.ts';
import { spreadsheetCsv } from '../../shared/node/files/spreadsheet-csv.ts';
import type { MailChart, MailContent } from '../../shared/node/mail/mail-content.ts';
import { Hour, addDays, Day, Minute } from '../../shared/time.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { sendOmittingRefusedText, type Mailer, type OutgoingMail } from '../../shared/node/mail/mailer.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import { DeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import { selectRecipients, sendMail, type DeliveryHandler } from '../deliveries/delivery-handler.ts';
import type { MailSettings } from '../mail-settings.ts';

/** Formats a day as `Nov 16, 2026`. */
const showDay = (day: string) =>
  new Date(`${day}T00:00:00Z`).toLocaleDateString('en-US', { dateStyle: 'medium', timeZone: 'UTC' });

const makeChart = (title: string, label: string, bars: readonly ReportBar[]): MailChart => ({
  title,
  columns: [label, 'Requests', 'Before'],
  bars: bars.map(({ requests, before, ...bar }) => ({ ...bar, value: requests, note: String(before) })),
});

const makeResultChart = (report: RequestReport): MailChart => ({
  title: 'What became of them, by source',
  columns: ['Source', 'Not a fit, %', 'Median'],
  bars: listSourceResults(report).map(({ label, unfitPercent: value, medianMs }) => ({ label, value, note: showDuration(medianMs) })),
});

const NOTE =
  'A request counts on the day it was received (or released, if it was held), with its current state.';

/** Writes the weekly report. After a refusal it omits the sources, because visitors can choose their names. */
export function writeReportMail(report: RequestReport, siteName: string, wasRefused = false): MailContent {
  const { period, metrics } = report;
  const days = `${showDay(period.from)} to ${showDay(period.to)}`;
  const [, ...rest] = listMetrics(report);

  return {
    siteName,
    subject: `[${siteName}] Weekly report: ${formatCount(metrics.requests, 'request')}`,
    preview: `${days}. Answered in time: ${describeMetWithin(metrics)}.`,
    heading: 'Weekly report',
    lead: `What came in from ${days} (${period.timeZone}), and how it was answered, compared with the average of the previous four weeks.`,
    highlight: {
      label: 'Requests',
      value: `${metrics.requests} (before: ${computePreviousMean(report.metricsBefore.requests)})`,
      isUrgent: false,
    },
    rows: rest.map(({ name, value, before }) => ({ label: name, value: `${value} (before: ${before})` })),
    message: null,
    link: null,
    sections: [],
    charts: [
      makeChart('Requests by source', 'Source', listSources(report)),
      makeResultChart(report),
      makeChart('Requests by industry', 'Industry', listIndustries(report)),
      makeChart('Who answered', 'Answered by', listAnswers(report)),
    ].filter(({ bars }) => bars.length > 0),
    note: wasRefused
      ? `${NOTE} The mail server refused the mail that names where requests came from, and its file; ‘ops report’ prints both.`
      : `${NOTE} The attached file has the same numbers for a spreadsheet; ‘ops report’ prints them for any period.`,
    noteLink: null,
  };
}

const toHours = (ms: number | null) => (ms === null ? null : Math.round((ms / Hour) * 100) / 100);

const csvMetrics: ReadonlyArray<readonly [name: string, pick: (of: ReportMetrics) => number]> = [
  ['Requests', ({ requests }) => requests],
  ['Answered', ({ answered }) => answered],
  ['Answered or their time is over', ({ decided }) => decided],
  ['Answered in time', ({ metWithin }) => metWithin],
  ['Not a fit', ({ unfit }) => unfit],
  ['Still open', ({ open }) => open],
  ['Open and overdue', ({ overdue }) => overdue],
  ['Held as possible spam', ({ held }) => held],
];

const toCsvRows = (name: string, bars: readonly ReportBar[]) =>
  bars.map(({ label, requests, before }) => [name, label, requests, before]);

/** Writes the report as CSV. */
function writeReportCsv(report: RequestReport): string {
  const { period, metrics, metricsBefore } = report;

  return stringify(
    [
      ['Metric', 'Group', `${period.from} to ${period.to}`, 'Mean of the four before'],
      ...csvMetrics.map(([name, pick]) => [name, null, pick(metrics), computePreviousMean(pick(metricsBefore))]),
      ['Hours to an answer, median', null, toHours(metrics.medianMs), toHours(metricsBefore.medianMs)],
      ['Hours to an answer, 90th percentile', null, toHours(metrics.percentile90Ms), toHours(metricsBefore.percentile90Ms)],
      ...toCsvRows('Requests by source', listSources(report)),
      ...listSourceResults(report).flatMap(({ label, unfitPercent, medianMs }) => [
        ['Not a fit by source, percent', label, unfitPercent, null],
        ['Hours to an answer by source, median', label, toHours(medianMs), null],
      ]),
      ...toCsvRows('Requests by industry', listIndustries(report)),
      ...toCsvRows('Answered by', listAnswers(report)),
    ],
    spreadsheetCsv,
  );
}

export type ReportSettings = Pick<MailSettings, 'siteName' | 'sales' | 'timeZone' | 'promise' | 'reportAt'>;

function getPeriod(monday: string, reportAt: number, timeZone: string): ReportPeriod {
  const day = addDays(monday, Math.floor(reportAt / (Day / Minute)));

  return { from: addDays(day, -7), to: addDays(day, -1), timeZone };
}

async function writeMail(
  database: Database,
  { siteName, promise }: ReportSettings,
  period: ReportPeriod,
  wasRefused: boolean,
): Promise<Pick<OutgoingMail, 'subject' | 'text' | 'html' | 'attachments'>> {
  const report = await readRequestReport(database, period, promise);
  if (wasRefused) return renderMail(writeReportMail({ ...report, sources: [] }, siteName, wasRefused));
  const filename = `report-${period.from}.csv`;

  return {
    ...renderMail(writeReportMail(report, siteName)),
    attachments: [{ filename, contentType: 'text/csv; charset=utf-8', content: writeReportCsv(report) }],
  };
}

/** Creates the handler for weekly reports to sales. A delivery's subject is a Monday. */
export function createReportHandler(database: Database, mailer: Mailer, settings: ReportSettings): DeliveryHandler {
  const { sales, reportAt, timeZone } = settings;

  return async (delivery, signal) => {
    const { subject: monday } = delivery;
    if (monday === null || reportAt === undefined) throw new DeliveryError('cancelled', 'switched-off');
    const to = selectRecipients(sales, delivery);
    const period = getPeriod(monday, reportAt, timeZone);

    return sendOmittingRefusedText(async (wasRefused) => {
      const mail = await writeMail(database, settings, period, wasRefused);

      return sendMail({ database, mailer, delivery, signal }, { key: `report-${monday}`, to, ...mail, headers: {} });
    });
  };
}
