import { listOpenSubmissions } from '../../shared/node/contact/open-submissions.ts';
import type { Database } from '../../shared/node/database.ts';
import { countDeliveries } from '../../shared/node/deliveries/list-deliveries.ts';
import type { Logger } from '../../shared/node/logger.ts';
import { signLinkToken } from '../../shared/node/signed-link.ts';
import { pathTo } from '../../shared/paths.ts';
import { computeBackOff } from '../deliveries/compute-back-off.ts';
import { toDeliveryError } from '../deliveries/delivery-error.ts';
import type { Mailer } from '../mail/mailer.ts';
import { renderMail } from '../mail/render-mail.ts';
import type { Timings } from '../timings.ts';
import { writeDigestMail } from './digest-mail.ts';
import { claimDigest, markDigestSent, postponeDigest, type ClaimedDigest } from './digest-store.ts';

export interface DigestServices {
  readonly database: Database;
  readonly mailer: Mailer;
  readonly timings: Pick<Timings, 'lease' | 'effect' | 'backOff'>;
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

/** Writes the day's digest as of now and hands it over; false when there is nothing to tell. */
async function mailDigest(
  { database, mailer, timings }: DigestServices,
  settings: DigestSettings,
  day: string,
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
    { key: `digest-${day}`, to: settings.sales, ...renderMail(mail), headers: {} },
    AbortSignal.any([signal, AbortSignal.timeout(timings.effect)]),
  );

  return true;
}

async function handleFailure(
  { database, timings, logger }: DigestServices,
  { day, attempts }: ClaimedDigest,
  error: unknown,
): Promise<void> {
  const { reason, isAmbiguous, cause } = toDeliveryError(error);
  const details = { day, attempts, reason, err: cause };
  if (isAmbiguous) {
    // Every request has mails of its own, and another digest comes: better none than a second one.
    await markDigestSent(database, day);
    logger.warn(details, 'The digest was handed over, but not acknowledged.');

    return;
  }

  const delayMs = computeBackOff(attempts, timings.backOff['follow-up']);
  await postponeDigest(database, day, delayMs);
  logger.error({ ...details, delayMs, alert: 'digest-failed' }, 'The digest failed and is tried again.');
}

/**
 * Makes the task that sends the daily digest. Run at any interval, by any number of workers, it
 * sends at most one a day, and none on a day when there is nothing to tell.
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
    const { day } = claimed;

    try {
      const isMailed = await mailDigest(services, settings, day, signal);
      await markDigestSent(database, day);
      logger.info({ day, isMailed }, 'The digest of the day is done.');
    } catch (error) {
      await handleFailure(services, claimed, error);
    }
  };
}
