import { ImplausibleClockError, requireMatchingClocks } from '../erasure/matching-clocks.ts';
import { tryWithAdvisoryLock } from '../database/advisory-lock.ts';
import type { Database } from '../database/database.ts';
import { deleteOldPlanned } from '../deliveries/planned-deliveries.ts';
import { applyErasures, type ErasedAgain, type ErasedCounts } from '../erasure/apply-erasures.ts';
import {
  countExpiredSubmissions,
  countIdentifiedSubmissions,
  eraseSubmissions,
  listExpiredSubmissions,
  type SubmissionPlace,
} from '../erasure/erase-submissions.ts';
import type { ErasureSettings } from '../erasure/erasure-log.ts';
import { deleteFormerSales } from '../follow-up/sales-rotation.ts';
import { countExpiredHeld, lockExpiredHeld } from '../held-requests/held-requests.ts';
import {
  countExpiredSubscriptions,
  countSubscriptions,
  deleteExpiredSubscriptions,
} from '../newsletter/newsletter-subscription-store.ts';

/* Age is decided by PostgreSQL's clock, which may be years ahead: an implausible run needs a confirmation. */

/** So few rows may be all of a table: a small site whose last visitors were long ago. */
const SMALL_NUMBER = 5;

/** How many rows of a table would be erased, of all that are left. */
interface ExpiredShare {
  /** Plural, as in `requests`. */
  readonly rows: string;
  readonly expired: number;
  readonly total: number;
}

/** Whether more than half of a table would be erased at once, and more than five rows. */
const isImplausible = ({ expired, total }: ExpiredShare): boolean => expired > SMALL_NUMBER && expired > total / 2;

/** The error that names tables of which too much would be erased. */
function makeShareError(shares: readonly ExpiredShare[]): ImplausibleClockError {
  const counts = shares.map(({ rows, expired, total }) => `${expired} of ${total} ${rows}`).join(', ');

  return new ImplausibleClockError(`More than half would be erased at once (${counts}): is the clock right, and RETENTION_MONTHS?`);
}

const RETENTION_LOCK = 0x70726976;
const BATCH_SIZE = 500;

export interface RetentionSettings extends ErasureSettings {
  readonly privacy: ErasureSettings['privacy'] & { readonly retentionMonths: number };
  readonly mail: { readonly sales: readonly string[] };
}

interface RetentionOptions {
  /** Called once what is too old is erased: what comes after may fail. */
  readonly onExpired?: (expired: ExpiredCounts) => void;
  readonly signal?: AbortSignal;
  /** An operator has checked the clock, and that as much as this is too old. */
  readonly isConfirmed?: boolean;
}

export interface ExpiredCounts extends ErasedCounts {
  /** Requests held as possible spam that nobody released in time. */
  readonly held: number;
}

interface RetentionResult {
  /** Erased because they are older than the retention period. */
  readonly expired: ExpiredCounts;
  /** Of people erased on request, back from a backup. */
  readonly erasedAgain: ErasedAgain;
}

/** Erases requests that were held for too long without a release; returns how many. */
async function eraseExpiredHeld(database: Database, signal?: AbortSignal): Promise<number> {
  let count = 0;
  for (;;) {
    signal?.throwIfAborted();
    const erased = await database.transaction(async (transaction) =>
      eraseSubmissions(transaction, await lockExpiredHeld(transaction, BATCH_SIZE)),
    );
    if (erased.length === 0) return count;
    count += erased.length;
  }
}

interface RetentionPlan {
  readonly requests: ExpiredShare;
  readonly subscriptions: ExpiredShare;
  /** Requests held as possible spam for too long; often many, which says nothing of the clock. */
  readonly held: number;
  /** The tables from which nothing would be erased for its age. */
  readonly refused: readonly ExpiredShare[];
  /** Why; undefined if none is refused. */
  readonly refusal: ImplausibleClockError | undefined;
}

async function findWrongClock(database: Database): Promise<ImplausibleClockError | undefined> {
  try {
    await requireMatchingClocks(database);

    return undefined;
  } catch (error) {
    if (!(error instanceof ImplausibleClockError)) throw error;

    return error;
  }
}

/** Determines what a run would do, and changes nothing. */
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
  const wrongClock = await findWrongClock(database);
  const shares = [requests, subscriptions];
  const refused = wrongClock ? shares : shares.filter(isImplausible);
  const refusal = wrongClock ?? (refused.length > 0 ? makeShareError(refused) : undefined);

  return { requests, subscriptions, held, refused, refusal };
}

/** Erases requests, held ones too, and what was mailed about them. */
async function eraseExpiredRequests(
  database: Database,
  months: number,
  { signal }: RetentionOptions,
): Promise<Pick<ExpiredCounts, 'held' | 'submissions'>> {
  const held = await eraseExpiredHeld(database, signal);
  let submissions = 0;
  let last: SubmissionPlace | undefined;
  for (;;) {
    signal?.throwIfAborted();
    const batch = await listExpiredSubmissions(database, months, BATCH_SIZE, last);
    last = batch.at(-1);
    if (!last) break;
    const ids = batch.map(({ id }) => id);
    submissions += (await eraseSubmissions(database, ids)).length;
  }
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
 * Erases what is past its time, former members of sales, and again whom a backup brought back. Undefined while another
 * runs.
 * @throws ImplausibleClockError, with nothing erased by age, when the clock looks wrong and nobody has confirmed it
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
    // Not by age: these go on, whatever the clock says.
    await deleteFormerSales(database, settings.mail.sales);
    const erasedAgain = await applyErasures(database, settings, options.signal);
    if (plan.refusal && !options.isConfirmed) throw plan.refusal;
    result = { expired, erasedAgain };
  });

  return result;
}
