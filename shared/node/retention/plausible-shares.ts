import { ImplausibleClockError } from '../erasure/matching-clocks.ts';

/* Age is decided by PostgreSQL's clock, which may be years ahead: an implausible run needs a confirmation. */

/** So few rows may be all of a table: a small site whose last visitors were long ago. */
const SMALL_NUMBER = 5;

/** How many rows of a table would be erased, of all that are left. */
export interface ExpiredShare {
  /** Plural, as in `requests`. */
  readonly rows: string;
  readonly expired: number;
  readonly total: number;
}

/** Whether more than half of a table would be erased at once, and more than five rows. */
export const isImplausible = ({ expired, total }: ExpiredShare): boolean => expired > SMALL_NUMBER && expired > total / 2;

/** The error that names tables of which too much would be erased. */
export function makeShareError(shares: readonly ExpiredShare[]): ImplausibleClockError {
  const counts = shares.map(({ rows, expired, total }) => `${expired} of ${total} ${rows}`).join(', ');

  return new ImplausibleClockError(`More than half would be erased at once (${counts}): is the clock right, and RETENTION_MONTHS?`);
}
