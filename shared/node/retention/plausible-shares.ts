import { ImplausibleClockError } from '../erasure/matching-clocks.ts';

/*
 * What is too old is decided by PostgreSQL's clock alone. A clock that is years ahead would make everything
 * too old, and erased data can't be restored: an implausible run needs an operator's confirmation.
 */

/** So few rows may be all of a kind: a small site whose last visitors were long ago. */
const SMALL_NUMBER = 5;

/** How many rows of a kind would be erased, of all that are left. */
export interface ExpiredShare {
  /** Plural, as in `requests`. */
  readonly rows: string;
  readonly expired: number;
  readonly total: number;
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
