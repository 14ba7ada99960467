import { nowPlusMs, type Database } from '../database/database.ts';
import type { Trial } from './try-form.ts';

const TABLE = 'form_trial';

export interface LastTrial {
  readonly triedAt: Date;
  /** How many failed in a row. */
  readonly failures: number;
  readonly detail: string;
}

/** Whether this worker is to make a trial: of several, one does within `intervalMs`. */
export async function claimTrial(database: Database, intervalMs: number): Promise<boolean> {
  const { rowCount } = await database.raw<{ rowCount: number }>(
    // A time ahead of the clock, which was set back, holds up none.
    `insert into ${TABLE} (tried_at) values (now()) on conflict (only_row) do update set tried_at = now()
    where ${TABLE}.tried_at not between ? and now()`,
    [nowPlusMs(database, -intervalMs)],
  );

  return rowCount === 1;
}

/** Records what became of a trial. */
export async function recordTrial(database: Database, { isAccepted, detail }: Trial): Promise<void> {
  await database(TABLE).update({ detail, failures: isAccepted ? 0 : database.raw('failures + 1') });
}

/** The last trial, if there was one. */
export function readTrial(database: Database): Promise<LastTrial | undefined> {
  return database(TABLE).whereNot({ detail: '' }).first<LastTrial | undefined>('tried_at as triedAt', 'failures', 'detail');
}
