import type { Database } from '../database/database.ts';
import { SiteError } from '../logging/describe-error.ts';
import { Day } from '../../time.ts';

/** Differing by so much, one of the two clocks is wrong. */
const MAX_CLOCK_DIFFERENCE = 1 * Day;

/** Retention, or an erasure, would act on a clock that can't be right; the message says why. */
export class ImplausibleClockError extends SiteError {
  override readonly name = 'ImplausibleClockError';
}

/** Throws ImplausibleClockError when PostgreSQL's clock and this machine's differ by a day or more. */
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
