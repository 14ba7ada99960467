import { readRequestReport, type ReportPeriod } from '../../shared/node/contact/request-report.ts';
import { claimReport } from '../../shared/node/periodic-mails/periodic-mail-store.ts';
import { addDays, Day, Minute } from '../../shared/time.ts';
import type { MailSettings } from '../mail-settings.ts';
import { makePeriodicMail, type PeriodicMailServices } from '../periodic-mails/send-periodic-mail.ts';
import { writeReportCsv, writeReportMail } from './report-mail.ts';

export interface ReportSettings extends Pick<MailSettings, 'siteName' | 'sales' | 'timeZone' | 'promise'> {
  /** Minutes after the midnight before Monday. */
  readonly reportAt: number;
}

/** The seven days before the report's. */
function getPeriod(monday: string, reportAt: number, timeZone: string): ReportPeriod {
  const day = addDays(monday, Math.floor(reportAt / (Day / Minute)));

  return { from: addDays(day, -7), to: addDays(day, -1), timeZone };
}

/** Makes the task that sends the weekly report, also of a week without requests. */
export function makeReport(
  services: PeriodicMailServices,
  settings: ReportSettings,
): () => Promise<void> {
  const { database, timings: { lease, giveUpAfter } } = services;
  const { reportAt, timeZone, siteName, sales, promise } = settings;

  return makePeriodicMail(services, {
    name: 'report',
    sales,
    claim: () => claimReport(database, { timeZone, reportAt, lease, giveUpAfter }),
    write: async ({ day }, wasRefused) => {
      const period = getPeriod(day, reportAt, timeZone);
      const report = await readRequestReport(database, period, promise);
      if (wasRefused) return { content: writeReportMail({ ...report, sources: [] }, siteName, wasRefused) };
      const filename = `report-${period.from}.csv`;

      return {
        content: writeReportMail(report, siteName),
        attachments: [{ filename, contentType: 'text/csv; charset=utf-8', content: writeReportCsv(report) }],
      };
    },
    alert: 'report-failed',
  });
}
