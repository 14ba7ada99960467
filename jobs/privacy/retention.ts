import {
  countExpiredSubmissions,
  listExpiredSubmissions,
  type SubmissionPlace,
} from '../../shared/node/contact/anonymise-submissions.ts';
import { deleteOldHeldMails } from '../../shared/node/contact/held-mails.ts';
import { countExpiredHeld, listExpiredHeld } from '../../shared/node/contact/quarantine.ts';
import { deleteExpiredProofs } from '../../shared/node/contact/spent-proofs.ts';
import type { Database } from '../../shared/node/database.ts';
import {
  countExpiredSubscriptions,
  deleteExpiredSubscriptions,
} from '../../shared/node/newsletter/forget-subscriptions.ts';
import { runAlone } from '../../shared/node/run-alone.ts';
import { deleteOldDigests } from '../digest/digest-store.ts';
import { forgetSubmissions } from './forget-submissions.ts';
import { keepErased, type ErasureSettings, type ForgottenCounts } from './keep-erased.ts';

/** Any number, the same for all; spells 'priv'. */
const RETENTION_LOCK = 0x70726976;
const BATCH_SIZE = 500;

export interface RetentionSettings extends ErasureSettings {
  readonly privacy: ErasureSettings['privacy'] & { readonly retentionMonths: number };
}

export interface RetentionOptions {
  /** Hears how many submissions are anonymised so far. */
  readonly onProgress?: (done: number) => void;
  /** Ends it between two batches. */
  readonly signal?: AbortSignal;
}

/** What is too old. */
export interface ExpiredCounts extends ForgottenCounts {
  /** Requests held as possible spam that nobody released in time. */
  readonly held: number;
}

export interface RetentionOutcome {
  /** Forgotten because their time is over. */
  readonly expired: ExpiredCounts;
  /** Of people erased on request, back from a backup. */
  readonly erasedAgain: ForgottenCounts;
}

/** How much is older than `months`, or held for too long, and would be forgotten now. */
export async function countExpired(database: Database, months: number): Promise<ExpiredCounts> {
  return {
    held: await countExpiredHeld(database),
    submissions: await countExpiredSubmissions(database, months),
    subscriptions: await countExpiredSubscriptions(database, months),
  };
}

/** Erases what was held for too long and nobody released; returns how many. */
async function eraseExpiredHeld(database: Database, signal?: AbortSignal): Promise<number> {
  let count = 0;
  for (;;) {
    signal?.throwIfAborted();
    const ids = await listExpiredHeld(database, BATCH_SIZE);
    if (ids.length === 0) return count;
    count += (await forgetSubmissions(database, ids)).length;
  }
}

async function forgetExpired(
  database: Database,
  months: number,
  { onProgress, signal }: RetentionOptions,
): Promise<ExpiredCounts> {
  const held = await eraseExpiredHeld(database, signal);
  let submissions = 0;
  let last: SubmissionPlace | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const batch = await listExpiredSubmissions(database, months, BATCH_SIZE, last);
    last = batch.at(-1);
    if (!last) break;
    const ids = batch.map(({ id }) => id);
    submissions += (await forgetSubmissions(database, ids)).length;
    onProgress?.(submissions);
  }

  return { held, submissions, subscriptions: await deleteExpiredSubscriptions(database, months) };
}

/**
 * Forgets what is older than the settings allow, and again who was erased on request. Of several
 * processes one does it at a time.
 * @returns undefined when another process is at it
 * @throws when the database or the folder of erasures can't be used, and the signal's reason; a
 *   second call goes on
 */
export async function runRetention(
  database: Database,
  settings: RetentionSettings,
  options: RetentionOptions = {},
): Promise<RetentionOutcome | undefined> {
  const { retentionMonths: months } = settings.privacy;
  let outcome: RetentionOutcome | undefined;

  await runAlone(database, RETENTION_LOCK, async () => {
    const expired = await forgetExpired(database, months, options);
    await deleteExpiredProofs(database);
    await deleteOldDigests(database, months);
    await deleteOldHeldMails(database, months);
    outcome = { expired, erasedAgain: await keepErased(database, settings, options.signal) };
  });

  return outcome;
}
