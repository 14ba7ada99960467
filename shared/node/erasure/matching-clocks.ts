import type { Database } from '../database/database.ts';
import { SiteError } from '../logging/describe-error.ts';
import { Day } from '../../time.ts';

/** If the two clocks differ by this much, one of them is wrong. */
const MAX_CLOCK_DIFFERENCE = 1 * Day;

/** Thrown if retention or an erasure would use a clock that is probably wrong. */
export class ImplausibleClockError extends SiteError {
  override readonly name = 'ImplausibleClockError';
}

/** Returns an error if PostgreSQL's clock and this machine's differ by a day or more. */
export async function findClockDifference(database: Database): Promise<ImplausibleClockError | undefined> {
  const { rows } = await database.raw<{ rows: [{ now: Date }] }>('select now() as now');
  const [{ now: stored }] = rows;
  const own = new Date();

  return Math.abs(stored.getTime() - own.getTime()) < MAX_CLOCK_DIFFERENCE
    ? undefined
    : new ImplausibleClockError(
        `PostgreSQL's clock says ${stored.toISOString()}, but this machine's clock says ${own.toISOString()}: correct the wrong one.`,
      );
}
