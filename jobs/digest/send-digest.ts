import { listOpenSubmissions } from '../../shared/node/contact/open-submissions.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { countDeliveries } from '../../shared/node/deliveries/list-deliveries.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { pathTo } from '../../shared/paths.ts';
import { computeBackoff } from '../../shared/node/config/timings.ts';
import { DeliveryError, toDeliveryError } from '../../shared/node/deliveries/delivery-error.ts';
import type { Mailer } from '../../shared/node/mail/mailer.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import type { Timings } from '../../shared/node/config/timings.ts';
import { writeDigestMail } from './digest-mail.ts';
import {
  claimDigest,
  recordDigestSent,
  rescheduleDigest,
  type ClaimedDigest,
} from '../../shared/node/digest/digest-store.ts';

interface DigestServices {
  readonly database: Database;
  readonly mailer: Mailer;
  readonly timings: Pick<Timings, 'lease' | 'attempt' | 'backOff'>;
  readonly logger: Logger;
}

export interface DigestSettings {
  readonly siteName: string;
  readonly publicUrl: string;
  readonly linkSecrets: readonly string[];
  /** The mailboxes of sales. */
  readonly sales: readonly string[];
  readonly timeZone: string;
  /** Minutes after midnight; undefined: no digest. */
  readonly digestAt: number | undefined;
  /** Milliseconds within which sales has promised to answer. */
  readonly dueAfter: number;
}

/** More would be a mail nobody reads, and one that Gmail cuts off. */
const MAX_ITEMS = 50;

/**
 * Writes the day's digest as of now and hands it over; false when nothing is open, held or dead. It counts
 * as sent just before the mail's end: every request has mails of its own, and another digest comes, so
 * better none than a second one after a crash or a lost response.
 */
async function mailDigest(
  { database, mailer, timings }: DigestServices,
  settings: DigestSettings,
  claimed: ClaimedDigest,
  signal: AbortSignal,
): Promise<boolean> {
  const { dueAfter, publicUrl, linkSecrets } = settings;
  const open = await listOpenSubmissions(database, { dueAfterMs: dueAfter, limit: MAX_ITEMS });
  const facts = { ...open, deadCount: await countDeliveries(database, { state: 'dead' }) };
  const mail = writeDigestMail(facts, {
    ...settings,
    getContactedUrl: (id) => publicUrl + pathTo.followUp(signLinkToken('follow-up', id, linkSecrets)),
  });
  if (!mail) return false;

  await mailer.send(
    { key: `digest-${claimed.day}`, to: settings.sales, ...renderMail(mail), headers: {} },
    {
      signal: AbortSignal.any([signal, AbortSignal.timeout(timings.attempt)]),
      beforeEnd: async () => {
        if (!(await recordDigestSent(database, claimed))) {
          throw new DeliveryError('cancelled', 'lease-lost');
        }
      },
    },
  );

  return true;
}

async function handleFailure(
  { database, timings, logger }: DigestServices,
  claimed: ClaimedDigest,
  error: unknown,
): Promise<void> {
  const { reason, isAmbiguous, result, cause } = toDeliveryError(error);
  const details = { ...claimed, reason, err: cause };
  if (isAmbiguous || result === 'cancelled') {
    logger.warn(details, 'The digest may have been sent, and is not sent again.');

    return;
  }

  const delayMs = computeBackoff(claimed.attempts, timings.backOff['follow-up']);
  await rescheduleDigest(database, claimed, delayMs);
  logger.error({ ...details, delayMs, alert: 'digest-failed' }, 'The digest failed and is tried again.');
}

/**
 * Makes the task that sends the daily digest. Run at any interval, by any number of workers, it
 * sends at most one a day, and none on a day when nothing is open, held or dead.
 * @returns a function that throws when the database can't be asked
 */
export function makeDigest(
  services: DigestServices,
  settings: DigestSettings,
): (signal: AbortSignal) => Promise<void> {
  const { database, timings, logger } = services;
  const { digestAt, timeZone } = settings;
  if (digestAt === undefined) return () => Promise.resolve();

  return async (signal) => {
    const claimed = await claimDigest(database, { timeZone, digestAt, lease: timings.lease });
    if (!claimed) return;

    try {
      const isMailed = await mailDigest(services, settings, claimed, signal);
      if (!isMailed) await recordDigestSent(database, claimed);
      logger.info({ day: claimed.day, isMailed }, 'The digest of the day is done.');
    } catch (error) {
      await handleFailure(services, claimed, error);
    }
  };
}
