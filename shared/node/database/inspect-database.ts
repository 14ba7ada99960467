import type { Database } from './database.ts';
import { SiteError } from '../logging/describe-error.ts';

export interface DatabaseState {
  readonly version: string;
  /** `on` if committed rows survive a power failure. Our connections set `synchronous_commit` themselves. */
  readonly fsync: string;
  readonly fullPageWrites: string;
  /** Whether writes fail because the server is a standby or is set to read-only. */
  readonly isReadOnly: boolean;
  /** How many milliseconds this machine's clock is ahead of the server's; negative if it is behind. */
  readonly clockAheadMs: number;
  /** Number of connections from worker processes. */
  readonly workers: number;
}

/** Reads the server's state. @throws if the server can't be reached */
export async function inspectDatabase(database: Database): Promise<DatabaseState> {
  // Connect first. Otherwise the connection time would count as a difference between the clocks.
  await database.raw('select 1');
  const startedAt = Date.now();
  const { rows } = await database.raw<{
    rows: Array<Omit<DatabaseState, 'clockAheadMs'> & { now_ms: number }>;
  }>(`
    select
      (extract(epoch from clock_timestamp()) * 1000)::float8 as now_ms,
      current_setting('server_version') as version,
      current_setting('fsync') as fsync,
      current_setting('full_page_writes') as "fullPageWrites",
      pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as "isReadOnly",
      (select count(*)::int from pg_stat_activity
        where datname = current_database() and application_name = 'worker') as workers
  `);
  const middle = (startedAt + Date.now()) / 2;
  const [row] = rows;
  if (!row) throw new SiteError('PostgreSQL returned no row.');
  const { now_ms: nowMs, ...state } = row;

  return { ...state, clockAheadMs: middle - nowMs };
}
