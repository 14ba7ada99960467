import { findClockDifference, ImplausibleClockError } from '../erasure/matching-clocks.ts';
import { tryWithAdvisoryLock } from '../database/advisory-lock.ts';
import type { Database, Transaction } from '../database/database.ts';
import { deleteOldPlanned } from '../deliveries/planned-deliveries.ts';
import { applyErasures, type ErasedAgain, type ErasedCounts } from '../erasure/apply-erasures.ts';
import {
  countExpiredSubmissions,
  countIdentifiedSubmissions,
  eraseSubmissions,
  lockExpiredSubmissions,
} from '../erasure/erase-submissions.ts';
import type { ErasureSettings } from '../erasure/erasure-log.ts';
import { deleteFormerSales } from '../follow-up/sales-rotation.ts';
import { countExpiredHeld, lockExpiredHeld } from '../held-requests/held-requests.ts';
import {
  countExpiredSubscriptions,
  countSubscriptions,
  deleteExpiredSubscriptions,
} from '../newsletter/newsletter-subscription-store.ts';

/* Ages depend on PostgreSQL's clock, which may be wrong, so erasing unusually many rows needs confirmation. */

/** One run may always erase this many rows, even a small site's whole table. */
const SMALL_NUMBER = 5;

/** How many of a table's rows would be erased. */
interface ExpiredShare {
  /** A plural noun, such as `requests`. */
  readonly rows: string;
  readonly expired: number;
  readonly total: number;
}

/** Returns whether one run would erase more than half of a table, and more than five rows. */
const expiresTooMany = ({ expired, total }: ExpiredShare): boolean => expired > SMALL_NUMBER && expired > total / 2;

/** Returns the error that names the tables. */
function makeShareError(shares: readonly ExpiredShare[]): ImplausibleClockError {
  const counts = shares.map(({ rows, expired, total }) => `${expired} of ${total} ${rows}`).join(', ');

  return new ImplausibleClockError(`More than half would be erased (${counts}): check the clock and RETENTION_MONTHS.`);
}

const RETENTION_LOCK = 0x70726976;
const BATCH_SIZE = 500;

export interface RetentionSettings extends ErasureSettings {
  readonly privacy: ErasureSettings['privacy'] & { readonly retentionMonths: number };
  readonly mail: { readonly sales: readonly string[] };
}

interface RetentionOptions {
  /** Called as soon as old data is erased, because later steps may fail. */
  readonly onExpired?: (expired: ExpiredCounts) => void;
  readonly signal?: AbortSignal;
  /** Whether an operator confirmed that the clock is right and that this much data should be erased. */
  readonly isConfirmed?: boolean;
}

export interface ExpiredCounts extends ErasedCounts {
  /** Held requests that nobody released in time. */
  readonly held: number;
}

interface RetentionResult {
  /** Data older than the retention period. */
  readonly expired: ExpiredCounts;
  /** Data of erased people that a backup brought back. */
  readonly erasedAgain: ErasedAgain;
}

/** Erases the requests that `lock` returns, batch by batch, until none are left. Returns the total. */
async function eraseBatches(
  database: Database,
  lock: (transaction: Transaction) => Promise<readonly string[]>,
  signal: AbortSignal | undefined,
): Promise<number> {
  let count = 0;
  for (;;) {
    signal?.throwIfAborted();
    const erased = await database.transaction(async (transaction) => eraseSubmissions(transaction, await lock(transaction)));
    if (erased.length === 0) return count;
    count += erased.length;
  }
}

interface RetentionPlan {
  readonly requests: ExpiredShare;
  readonly subscriptions: ExpiredShare;
  /** Requests held for too long. Large numbers are normal, so they are not checked for plausibility. */
  readonly held: number;
  /** Tables from which nothing would be erased. */
  readonly refused: readonly ExpiredShare[];
  /** The reason; undefined if no table is refused. */
  readonly refusal: ImplausibleClockError | undefined;
}

/** Returns what a run would do. Changes nothing. */
export async function planRetention(database: Database, months: number): Promise<RetentionPlan> {
  const requests = {
    rows: 'requests',
    expired: await countExpiredSubmissions(database, months),
    total: await countIdentifiedSubmissions(database),
  };
  const subscriptions = {
    rows: 'newsletter subscriptions',
    expired: await countExpiredSubscriptions(database, months),
    total: await countSubscriptions(database),
  };
  const held = await countExpiredHeld(database);
  const wrongClock = await findClockDifference(database);
  const shares = [requests, subscriptions];
  const refused = wrongClock ? shares : shares.filter(expiresTooMany);
  const refusal = wrongClock ?? (refused.length > 0 ? makeShareError(refused) : undefined);

  return { requests, subscriptions, held, refused, refusal };
}

/** Erases held requests, old requests, and old deliveries about batches and reports. */
async function eraseExpiredRequests(
  database: Database,
  months: number,
  { signal }: RetentionOptions,
): Promise<Pick<ExpiredCounts, 'held' | 'submissions'>> {
  const held = await eraseBatches(database, (transaction) => lockExpiredHeld(transaction, BATCH_SIZE), signal);
  const submissions = await eraseBatches(
    database,
    (transaction) => lockExpiredSubmissions(transaction, months, BATCH_SIZE),
    signal,
  );
  await deleteOldPlanned(database, months);

  return { held, submissions };
}

async function eraseExpired(
  database: Database,
  months: number,
  { requests, subscriptions, refused }: RetentionPlan,
  options: RetentionOptions,
): Promise<ExpiredCounts> {
  const isErased = (share: ExpiredShare) => options.isConfirmed === true || !refused.includes(share);
  const erased = isErased(requests) ? await eraseExpiredRequests(database, months, options) : { held: 0, submissions: 0 };
  const deleted = isErased(subscriptions) ? await deleteExpiredSubscriptions(database, months) : 0;
  const expired = { ...erased, subscriptions: deleted };
  options.onExpired?.(expired);

  return expired;
}

/**
 * Erases old data, former salespeople's turns, and erased people's data from a backup. Returns undefined if
 * another run is in progress.
 * @throws ImplausibleClockError if the clock looks wrong and no operator confirmed it; old data is then not erased
 */
export async function runRetention(
  database: Database,
  settings: RetentionSettings,
  options: RetentionOptions = {},
): Promise<RetentionResult | undefined> {
  const { retentionMonths: months } = settings.privacy;
  let result: RetentionResult | undefined;

  await tryWithAdvisoryLock(database, RETENTION_LOCK, async () => {
    const plan = await planRetention(database, months);
    const expired = await eraseExpired(database, months, plan, options);
    // These don't depend on the clock.
    await deleteFormerSales(database, settings.mail.sales);
    const erasedAgain = await applyErasures(database, settings, options.signal);
    if (plan.refusal && !options.isConfirmed) throw plan.refusal;
    result = { expired, erasedAgain };
  });

  return result;
}
