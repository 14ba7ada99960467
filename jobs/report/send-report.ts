import { readRequestReport, type ReportPeriod } from '../../shared/node/contact/request-report.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { selectMailboxes } from '../../shared/node/mail/email-address.ts';
import { sendWithoutRefusedWords, type Mailer, type OutgoingMail } from '../../shared/node/mail/mailer.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import { DeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import { addDays, Day, Minute } from '../../shared/time.ts';
import { makeHandOver, type DeliveryHandler } from '../deliveries/delivery-handler.ts';
import type { MailSettings } from '../mail-settings.ts';
import { writeReportCsv, writeReportMail } from './report-mail.ts';

export type ReportSettings = Pick<MailSettings, 'siteName' | 'sales' | 'timeZone' | 'promise' | 'reportAt'>;

function getPeriod(monday: string, reportAt: number, timeZone: string): ReportPeriod {
  const day = addDays(monday, Math.floor(reportAt / (Day / Minute)));

  return { from: addDays(day, -7), to: addDays(day, -1), timeZone };
}

/** @param wasRefused the mail server refused the names of sources, some of which visitors can choose: they are left out */
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

/** Creates the handler of weekly reports to sales, whose subject is a Monday (`planReport`). */
export function createReportHandler(database: Database, mailer: Mailer, settings: ReportSettings): DeliveryHandler {
  const { sales, reportAt, timeZone } = settings;

  return async (delivery, signal) => {
    const { subject: monday, recipient } = delivery;
    if (monday === null || reportAt === undefined) throw new DeliveryError('cancelled', 'switched-off');
    const to = selectMailboxes(sales, recipient === null ? null : [recipient]);
    if (to.length === 0) throw new DeliveryError('cancelled', 'recipient-removed');
    const period = getPeriod(monday, reportAt, timeZone);

    return sendWithoutRefusedWords(async (wasRefused) => {
      const mail = await writeMail(database, settings, period, wasRefused);
      const { messageId, deferred } = await mailer.send(
        { key: `report-${monday}`, to, ...mail, headers: {} },
        { signal, beforeEnd: makeHandOver(database, delivery) },
      );

      return { remoteRef: messageId, deferred };
    });
  };
}
