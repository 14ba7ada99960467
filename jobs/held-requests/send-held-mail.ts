import {
  claimHeldMail,
  countUnreported,
  deleteHeldMail,
  listRequestsOfMail,
  recordHeldMailSent,
  recordHeldMailHandOver,
  rescheduleHeldMail,
  type ClaimedHeldMail,
} from '../../shared/node/held-requests/held-mails.ts';
import type { Database } from '../../shared/node/database/database.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { pathTo } from '../../shared/paths.ts';
import { computeBackoff } from '../../shared/node/config/timings.ts';
import { DeliveryError, ResponseError, toDeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import { selectMailboxes } from '../../shared/node/mail/email-address.ts';
import type { Mailer } from '../../shared/node/mail/mailer.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import type { Timings } from '../../shared/node/config/timings.ts';
import type { MailSettings } from '../mail-settings.ts';
import { writeHeldMail } from './held-mail.ts';

interface HeldMailServices {
  readonly database: Database;
  readonly mailer: Mailer;
  readonly timings: Pick<Timings, 'lease' | 'attempt' | 'backOff' | 'giveUpAfter' | 'heldMailInterval'>;
  readonly logger: Logger;
}

type HeldMailSettings = Pick<MailSettings, 'siteName' | 'publicUrl' | 'linkSecrets' | 'sales' | 'timeZone'>;

/** Most requests one mail lists; the rest comes with the next. */
const MAX_ITEMS = 120;

/** A mail may have been taken so often without a response: one duplicate at most. */
const MAX_UNANSWERED = 2;

/** What a mail came to. */
interface HeldMailResult {
  /** Requests it lists; of none there is no mail. */
  readonly requestCount: number;
  /** Mailboxes of sales that refused it for the moment, while others took it. */
  readonly deferred: readonly string[];
}

/** Writes the mail as of now and hands it over. */
async function mailRequests(
  { database, mailer, timings }: HeldMailServices,
  settings: HeldMailSettings,
  claimed: ClaimedHeldMail,
): Promise<HeldMailResult> {
  const { id, recipients, wasRefused } = claimed;
  const { publicUrl, linkSecrets, sales } = settings;
  const to = selectMailboxes(sales, recipients);
  const requests = to.length > 0 ? await listRequestsOfMail(database, id) : [];
  if (requests.length === 0) return { requestCount: 0, deferred: [] };
  const moreCount = await countUnreported(database);
  const mail = writeHeldMail({ requests, moreCount, wasRefused }, {
    ...settings,
    getDecisionUrl: (requestId) =>
      publicUrl + pathTo.heldRequest(signLinkToken('held', requestId, linkSecrets)),
  });

  const { deferred } = await mailer.send(
    { key: `held-${id}`, to, ...renderMail(mail), headers: {} },
    {
      signal: AbortSignal.timeout(timings.attempt),
      beforeEnd: async () => {
        if (await recordHeldMailHandOver(database, claimed)) return;
        throw new DeliveryError('cancelled', 'lease-lost');
      },
    },
  );

  return { requestCount: requests.length, deferred };
}

/**
 * Attempts that the mail server may refuse the mail for the moment before its words are taken for the reason: some
 * filters never say more about words they dislike.
 */
const MAX_SOFT_REFUSALS = 3;

/** Whether the mail server responded with 4xx. */
const isSoftRefusal = (failure: DeliveryError): boolean =>
  failure instanceof ResponseError && failure.status >= 400 && failure.status < 500;

/** Whether the mail itself was refused, and so maybe what strangers typed. */
const isMailRefused = (failure: DeliveryError, attempts: number): boolean =>
  failure.result === 'dead' ||
  (attempts >= MAX_SOFT_REFUSALS && !failure.isRecipientRefused && isSoftRefusal(failure));

async function handleFailure(
  { database, timings, logger }: HeldMailServices,
  claimed: ClaimedHeldMail,
  error: unknown,
): Promise<void> {
  const failure = toDeliveryError(error);
  const { reason, isAmbiguous, cause } = failure;
  const { id, attempts, recipients } = claimed;
  if (failure.result === 'cancelled') {
    logger.warn({ mail: id, attempts, reason }, 'Another worker has the mail about held requests by now.');

    return;
  }
  if (recipients && failure.isRecipientRefusedForGood) {
    await recordHeldMailSent(database, claimed);
    logger.error(
      { mail: id, attempts, reason, err: cause, alert: 'recipient-refused' },
      'A recipient of the mail about held requests goes without.',
    );

    return;
  }

  const delayMs = computeBackoff(attempts, timings.backOff['follow-up']);
  await rescheduleHeldMail(database, claimed, { delayMs, isAmbiguous, isRefused: isMailRefused(failure, attempts) });
  logger.error(
    { mail: id, attempts, reason, delayMs, err: cause, alert: recipients ? 'recipient-deferred' : 'held-mail-failed' },
    'The mail about held requests failed and is tried again.',
  );
}

/** Records a mail that was tried so often without a response that it counts as sent. */
async function giveUpUnanswered({ database, logger }: HeldMailServices, claimed: ClaimedHeldMail): Promise<void> {
  await recordHeldMailSent(database, claimed);
  logger.error(
    { mail: claimed.id, alert: 'held-mail-unconfirmed' },
    'The mail about held requests was tried twice without a response and may be missing.',
  );
}

async function recordResult(
  { database, timings, logger }: HeldMailServices,
  claimed: ClaimedHeldMail,
  { requestCount, deferred }: HeldMailResult,
): Promise<void> {
  const { id, attempts, recipients } = claimed;
  if (requestCount === 0 && recipients === null) return deleteHeldMail(database, id);
  const delayMs = computeBackoff(attempts, timings.backOff['follow-up']);
  const deferral = deferred.length > 0 ? { recipients: deferred, delayMs } : undefined;
  await recordHeldMailSent(database, claimed, deferral);
  logger.info({ mail: id, requests: requestCount }, 'The mail about held requests was sent.');
  if (deferral) {
    logger.warn(
      { mail: id, deferred: deferred.length, delayMs },
      'Recipients refused the mail about held requests for the moment: it is tried again for them alone.',
    );
  }
}

/**
 * Makes the task that mails sales what is held as possible spam. Run at any interval, by any
 * number of workers, it sends at most one mail per interval, and lists each request once.
 * A mail of which nobody knows whether it was taken (its response was lost, or its worker) is sent a
 * second time, and no third. One that the mail server refuses, for good or again and again, goes next without what
 * was typed: no stranger holds it up by words that a spam filter refuses.
 * Recipients that refuse it for the moment, while others take it, get it alone. What it has begun when the worker is
 * stopped it completes.
 * @returns a function that throws when the database can't be asked
 */
export function makeHeldMail(
  services: HeldMailServices,
  settings: HeldMailSettings,
): () => Promise<void> {
  const { database, timings: { heldMailInterval: interval, lease, giveUpAfter } } = services;

  return async () => {
    const claimed = await claimHeldMail(database, { interval, lease, giveUpAfter, limit: MAX_ITEMS });
    if (!claimed) return;
    if (claimed.unanswered >= MAX_UNANSWERED) return giveUpUnanswered(services, claimed);

    let result: HeldMailResult;
    try {
      result = await mailRequests(services, settings, claimed);
    } catch (error) {
      return handleFailure(services, claimed, error);
    }
    // Not a failure of the mail: what can't be recorded stays unanswered.
    await recordResult(services, claimed, result);
  };
}
