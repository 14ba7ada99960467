import { computeBackoff, type Timings } from '../../shared/node/config/timings.ts';
import { readRequestReport, type ReportPeriod } from '../../shared/node/contact/request-report.ts';
import type { Database } from '../../shared/node/database/database.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import { selectMailboxes } from '../../shared/node/mail/email-address.ts';
import { sendWithoutRefusedWords, type Mailer, type OutgoingMail, type SentMail } from '../../shared/node/mail/mailer.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import { DeliveryError, toDeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import {
  claimReport,
  recordReportDone,
  rescheduleReport,
  type ClaimedReport,
} from '../../shared/node/report/report-store.ts';
import { addDays, Day, Minute } from '../../shared/time.ts';
import type { MailSettings } from '../mail-settings.ts';
import { writeReportCsv, writeReportMail } from './report-mail.ts';

interface ReportServices {
  readonly database: Database;
  readonly mailer: Mailer;
  readonly timings: Pick<Timings, 'lease' | 'attempt' | 'backOff' | 'giveUpAfter'>;
  readonly logger: Logger;
}

export interface ReportSettings extends Pick<MailSettings, 'siteName' | 'sales' | 'timeZone' | 'promise'> {
  /** Minutes after the midnight before Monday. */
  readonly reportAt: number;
}

/** The seven days before the report's. */
function getPeriod(monday: string, { reportAt, timeZone }: ReportSettings): ReportPeriod {
  const day = addDays(monday, Math.floor(reportAt / (Day / Minute)));

  return { from: addDays(day, -7), to: addDays(day, -1), timeZone };
}

/** @param wasRefused the mail server refused the names of sources, some of which visitors can choose: they are left out */
async function writeMail(
  database: Database,
  settings: ReportSettings,
  { day }: ClaimedReport,
  wasRefused: boolean,
): Promise<Pick<OutgoingMail, 'subject' | 'text' | 'html' | 'attachments'>> {
  const period = getPeriod(day, settings);
  const report = await readRequestReport(database, period, settings.promise);
  if (wasRefused) return renderMail(writeReportMail({ ...report, sources: [] }, settings.siteName, wasRefused));
  const filename = `report-${period.from}.csv`;

  return {
    ...renderMail(writeReportMail(report, settings.siteName)),
    attachments: [{ filename, contentType: 'text/csv; charset=utf-8', content: writeReportCsv(report) }],
  };
}

/**
 * Hands the report over; undefined when it has no recipient. It counts as sent just before its end: another one comes
 * in a week, so a missing report is better than a second one after a crash or a lost response.
 */
async function send(
  { database, mailer, timings }: ReportServices,
  settings: ReportSettings,
  claimed: ClaimedReport,
  wasRefused: boolean,
): Promise<SentMail | undefined> {
  const to = selectMailboxes(settings.sales, claimed.recipients);
  if (to.length === 0) return undefined;
  const mail = await writeMail(database, settings, claimed, wasRefused);

  return mailer.send(
    { key: `report-${claimed.day}`, to, ...mail, headers: {} },
    {
      signal: AbortSignal.timeout(timings.attempt),
      beforeEnd: async () => {
        if (!(await recordReportDone(database, claimed))) throw new DeliveryError('cancelled', 'lease-lost');
      },
    },
  );
}

async function handleFailure(
  { database, timings, logger }: ReportServices,
  claimed: ClaimedReport,
  error: unknown,
): Promise<void> {
  const { reason, isAmbiguous, isRecipientRefusedForGood, result, cause } = toDeliveryError(error);
  const { day, attempts, recipients } = claimed;
  const details = { day, attempts, reason, err: cause };
  if (isAmbiguous || result === 'cancelled') {
    logger.warn(details, 'The report may have been sent, and is not sent again.');

    return;
  }

  if (recipients && isRecipientRefusedForGood) {
    await recordReportDone(database, claimed);
    logger.error({ ...details, alert: 'recipient-refused' }, 'A recipient of the report refused it for good.');

    return;
  }

  const delayMs = computeBackoff(attempts, timings.backOff['follow-up']);
  await rescheduleReport(database, claimed, { delayMs, recipients });
  logger.error(
    { ...details, delayMs, alert: recipients ? 'recipient-deferred' : 'report-failed' },
    'The report failed and is retried.',
  );
}

/**
 * Makes the task that sends the weekly report, also of a week without requests. Run at any interval, by any number of
 * workers, it sends at most one a week. Recipients that refuse it temporarily, while others accept it, get it alone. A
 * worker that is stopped completes what it has begun.
 * @returns a function that throws when the database can't be asked
 */
export function makeReport(services: ReportServices, settings: ReportSettings): () => Promise<void> {
  const { database, timings, logger } = services;
  const { lease, giveUpAfter } = timings;

  return async () => {
    const claimed = await claimReport(database, { ...settings, lease, giveUpAfter });
    if (!claimed) return;
    const { day, attempts } = claimed;

    let sent: SentMail | undefined;
    try {
      // One stranger's words stop no report.
      sent = await sendWithoutRefusedWords((wasRefused) => send(services, settings, claimed, wasRefused));
    } catch (error) {
      return handleFailure(services, claimed, error);
    }
    // Not a failure of the mail: the others must not get a second one because one can't be recorded.
    if (!sent) await recordReportDone(database, claimed);
    logger.info({ day, isMailed: sent !== undefined }, 'The report is done.');
    const recipients = sent?.deferred ?? [];
    if (recipients.length === 0) return;
    const delayMs = computeBackoff(attempts, timings.backOff['follow-up']);
    await rescheduleReport(database, claimed, { delayMs, recipients });
    logger.warn({ day, deferred: recipients.length, delayMs }, 'Recipients refused the report temporarily and get it later.');
  };
}
