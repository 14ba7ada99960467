import {
  claimHeldMail,
  countUnreported,
  deleteHeldMail,
  listRequestsOfMail,
  recordHeldMailSent,
  recordHeldMailHandOver,
  rescheduleHeldMail,
  type ClaimedHeldMail,
} from '../../shared/node/contact/held-mails.ts';
import type { Database } from '../../shared/node/database/database.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { pathTo } from '../../shared/paths.ts';
import { computeBackoff } from '../../shared/node/config/timings.ts';
import { DeliveryError, toDeliveryError } from '../../shared/node/deliveries/delivery-error.ts';
import type { Mailer } from '../../shared/node/mail/mailer.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import type { Timings } from '../../shared/node/config/timings.ts';
import { writeHeldMail } from './held-mail.ts';

interface HeldMailServices {
  readonly database: Database;
  readonly mailer: Mailer;
  readonly timings: Pick<Timings, 'lease' | 'attempt' | 'backOff' | 'heldMails'>;
  readonly logger: Logger;
}

interface HeldMailSettings {
  readonly siteName: string;
  readonly publicUrl: string;
  readonly linkSecrets: readonly string[];
  /** The mailboxes of sales. */
  readonly sales: readonly string[];
  readonly timeZone: string;
}

/** Most requests one mail lists; the rest comes with the next. */
const MAX_ITEMS = 120;

/** A mail may have been taken so often without a response: one duplicate at most. */
const MAX_UNANSWERED = 2;

/** What a mail came to. */
interface HeldMailResult {
  /** Requests it lists; of none there is no mail. */
  readonly requestCount: number;
  /** Mailboxes of sales that refused it for the moment, while others took it. */
  readonly deferredCount: number;
}

/** Writes the mail as of now and hands it over. */
async function mailRequests(
  { database, mailer, timings }: HeldMailServices,
  settings: HeldMailSettings,
  claimed: ClaimedHeldMail,
  signal: AbortSignal,
): Promise<HeldMailResult> {
  const { id } = claimed;
  const requests = await listRequestsOfMail(database, id);
  if (requests.length === 0) return { requestCount: 0, deferredCount: 0 };
  const { publicUrl, linkSecrets, sales } = settings;
  const facts = { requests, moreCount: await countUnreported(database, timings.heldMails.delay) };
  const mail = writeHeldMail(facts, {
    ...settings,
    getDecisionUrl: (requestId) =>
      publicUrl + pathTo.heldRequest(signLinkToken('held', requestId, linkSecrets)),
  });

  const { deferred } = await mailer.send(
    { key: `held-${id}`, to: sales, ...renderMail(mail), headers: {} },
    {
      signal: AbortSignal.any([signal, AbortSignal.timeout(timings.attempt)]),
      beforeEnd: async () => {
        if (await recordHeldMailHandOver(database, claimed)) return;
        throw new DeliveryError('cancelled', 'lease-lost');
      },
    },
  );

  return { requestCount: requests.length, deferredCount: deferred.length };
}

async function handleFailure(
  { database, timings, logger }: HeldMailServices,
  claimed: ClaimedHeldMail,
  error: unknown,
): Promise<void> {
  const { reason, isAmbiguous, cause } = toDeliveryError(error);
  const { id, attempts } = claimed;
  const delayMs = computeBackoff(attempts, timings.backOff['follow-up']);
  await rescheduleHeldMail(database, claimed, { delayMs, isAmbiguous });
  logger.error(
    { mail: id, attempts, reason, delayMs, err: cause, alert: 'held-mail-failed' },
    'The mail about held requests failed and is tried again.',
  );
}

/**
 * Makes the task that mails sales what is held as possible spam. Run at any interval, by any
 * number of workers, it sends at most one mail per interval, and lists each request once.
 * A mail of which nobody knows whether it was taken (its response was lost, or its worker) is sent a
 * second time, and no third.
 * @returns a function that throws when the database can't be asked
 */
export function makeHeldMail(
  services: HeldMailServices,
  settings: HeldMailSettings,
): (signal: AbortSignal) => Promise<void> {
  const { database, timings, logger } = services;

  return async (signal) => {
    const claimed = await claimHeldMail(database, {
      ...timings.heldMails,
      lease: timings.lease,
      limit: MAX_ITEMS,
    });
    if (!claimed) return;
    const { id, unanswered } = claimed;
    if (unanswered >= MAX_UNANSWERED) {
      await recordHeldMailSent(database, id);
      logger.error(
        { mail: id, alert: 'held-mail-unconfirmed' },
        'The mail about held requests was tried twice without a response and may be missing.',
      );

      return;
    }

    let result: HeldMailResult;
    try {
      result = await mailRequests(services, settings, claimed, signal);
    } catch (error) {
      return handleFailure(services, claimed, error);
    }
    // Not a failure of the mail: what can't be recorded stays unanswered.
    const { requestCount, deferredCount } = result;
    if (requestCount === 0) return deleteHeldMail(database, id);
    await recordHeldMailSent(database, id);
    logger.info({ mail: id, requests: requestCount }, 'The mail about held requests was sent.');
    if (deferredCount > 0) {
      logger.warn(
        { mail: id, deferred: deferredCount },
        'Recipients refused the mail about held requests for the moment and miss it.',
      );
    }
  };
}
