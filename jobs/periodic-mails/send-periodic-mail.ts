import type { AlertName } from '../../shared/node/logging/alert-list.ts';
import { computeBackoff, type Timings } from '../../shared/node/config/timings.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { DeliveryError, toDeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import { selectMailboxes } from '../../shared/node/mail/email-address.ts';
import type { MailContent } from '../../shared/node/mail/mail-content.ts';
import { sendWithoutRefusedWords, type Mailer, type OutgoingMail, type SentMail } from '../../shared/node/mail/mailer.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import {
  recordPeriodDone,
  reschedulePeriod,
  type ClaimedPeriod,
} from '../../shared/node/periodic-mails/periodic-mail-store.ts';

export interface PeriodicMailServices {
  readonly database: Database;
  readonly mailer: Mailer;
  readonly timings: Pick<Timings, 'lease' | 'attempt' | 'backOff' | 'giveUpAfter'>;
  readonly logger: Logger;
}

/** A mail to sales that comes once in a day or a week. */
interface PeriodicMail {
  /** Begins its Message-ID, before the day. */
  readonly name: 'digest' | 'report';
  /** The mailboxes of sales. */
  readonly sales: readonly string[];
  /** Claims its current period; undefined when it is not due, or another worker's. */
  readonly claim: () => Promise<ClaimedPeriod | undefined>;
  /**
   * Writes it as of now; undefined when there is nothing to say.
   * @param wasRefused the mail server refused what visitors typed: it is left out
   */
  readonly write: (
    claimed: ClaimedPeriod,
    wasRefused: boolean,
  ) => Promise<{ readonly content: MailContent; readonly attachments?: OutgoingMail['attachments'] } | undefined>;
  /** Raised when it could not be sent and is retried. */
  readonly alert: AlertName;
}

/**
 * Hands the mail over; undefined when there is nothing to say, or nobody to say it to. It counts as sent just before
 * its end: every request has mails of its own, and another of these comes, so better none than a second one after a
 * crash or a lost response.
 */
async function send(
  { database, mailer, timings }: PeriodicMailServices,
  { name, sales, write }: PeriodicMail,
  claimed: ClaimedPeriod,
  wasRefused: boolean,
): Promise<SentMail | undefined> {
  const to = selectMailboxes(sales, claimed.recipients);
  const mail = to.length > 0 ? await write(claimed, wasRefused) : undefined;
  if (!mail) return undefined;
  const { content, attachments } = mail;

  return mailer.send(
    {
      key: `${name}-${claimed.day}`,
      to,
      ...renderMail(content),
      ...(attachments && { attachments }),
      headers: {},
    },
    {
      signal: AbortSignal.timeout(timings.attempt),
      beforeEnd: async () => {
        if (!(await recordPeriodDone(database, claimed))) throw new DeliveryError('cancelled', 'lease-lost');
      },
    },
  );
}

async function handleFailure(
  { database, timings, logger }: PeriodicMailServices,
  { name, alert }: PeriodicMail,
  claimed: ClaimedPeriod,
  error: unknown,
): Promise<void> {
  const { reason, isAmbiguous, isRecipientRefusedForGood, result, cause } = toDeliveryError(error);
  const { day, attempts, recipients } = claimed;
  const details = { mail: name, day, attempts, reason, err: cause };
  if (isAmbiguous || result === 'cancelled') {
    logger.warn(details, 'A periodic mail may have been sent, and is not sent again.');

    return;
  }

  if (recipients && isRecipientRefusedForGood) {
    await recordPeriodDone(database, claimed);
    logger.error({ ...details, alert: 'recipient-refused' }, 'A recipient of a periodic mail goes without.');

    return;
  }

  const delayMs = computeBackoff(attempts, timings.backOff['follow-up']);
  await reschedulePeriod(database, claimed, { delayMs, recipients });
  logger.error(
    { ...details, delayMs, alert: recipients ? 'recipient-deferred' : alert },
    'A periodic mail failed and is tried again.',
  );
}

/**
 * Makes the task that sends a periodic mail. Run at any interval, by any number of workers, it sends at most one in
 * each period, and none where there is nothing to say. Recipients that refuse it for the moment, while others take
 * it, get it alone. What it has begun when the worker is stopped it completes.
 * @returns a function that throws when the database can't be asked
 */
export function makePeriodicMail(
  services: PeriodicMailServices,
  mail: PeriodicMail,
): () => Promise<void> {
  const { database, timings, logger } = services;

  return async () => {
    const claimed = await mail.claim();
    if (!claimed) return;
    const { day, attempts } = claimed;

    let sent: SentMail | undefined;
    try {
      // One stranger's words stop no list.
      sent = await sendWithoutRefusedWords((wasRefused) => send(services, mail, claimed, wasRefused));
    } catch (error) {
      return handleFailure(services, mail, claimed, error);
    }
    // Not a failure of the mail: who can't be recorded goes without, and the others get no second one.
    if (!sent) await recordPeriodDone(database, claimed);
    logger.info({ mail: mail.name, day, isMailed: sent !== undefined }, 'A periodic mail is done.');
    const recipients = sent?.deferred ?? [];
    if (recipients.length > 0) {
      const delayMs = computeBackoff(attempts, timings.backOff['follow-up']);
      await reschedulePeriod(database, claimed, { delayMs, recipients });
      logger.warn(
        { mail: mail.name, day, deferred: recipients.length, delayMs },
        'Recipients refused a periodic mail for the moment: it is tried again for them alone.',
      );
    }
  };
}
