import type { Database } from '../database/database.ts';
import { SiteError } from '../logging/describe-error.ts';
import { Day } from '../../time.ts';

/*
 * What is too old is decided by PostgreSQL's clock alone. A clock that is years ahead would make everything
 * too old, and erased data can't be restored: an implausible run needs an operator's confirmation.
 */

/** Differing by so much, one of the two clocks is wrong. */
const MAX_CLOCK_DIFFERENCE = 1 * Day;
/** So few rows may be all of a kind: a small site whose last visitors were long ago. */
const SMALL_NUMBER = 5;

/** How many rows of a kind would be erased, of all that are left. */
export interface ExpiredShare {
  /** Plural, as in `requests`. */
  readonly rows: string;
  readonly expired: number;
  readonly total: number;
}

/** Retention, or an erasure, would act on a clock that can't be right; the message says why. */
export class ImplausibleClockError extends SiteError {
  override readonly name = 'ImplausibleClockError';
}

/**
 * Compares PostgreSQL's clock with this machine's.
 * @throws ImplausibleClockError when they differ by a day or more
 */
export async function requireMatchingClocks(database: Database): Promise<void> {
  const { rows } = await database.raw<{ rows: Array<{ now: Date }> }>('select now() as now');
  const stored = rows[0]?.now;
  if (!stored) throw new SiteError('PostgreSQL returned no time.');
  const own = new Date();
  if (Math.abs(stored.getTime() - own.getTime()) < MAX_CLOCK_DIFFERENCE) return;
  throw new ImplausibleClockError(
    `PostgreSQL's clock says ${stored.toISOString()}, this machine's ${own.toISOString()}: set both right.`,
  );
}

/**
 * Makes sure that what would be erased is a plausible part of what there is.
 * @throws ImplausibleClockError when it is more than half of the rows of a kind, and more than five
 */
export function requirePlausibleShares(shares: readonly ExpiredShare[]): void {
  const all = shares
    .filter(({ expired, total }) => expired > SMALL_NUMBER && expired > total / 2)
    .map(({ rows, expired, total }) => `${expired} of ${total} ${rows}`);
  if (all.length === 0) return;
  throw new ImplausibleClockError(
    `More than half would be erased at once (${all.join(', ')}): is the clock right, and RETENTION_MONTHS?`,
  );
}
