import pg from 'pg';
import { Second } from '../../time.ts';
import { SiteError } from '../logging/describe-error.ts';
import type { Database } from './database.ts';

/** Name of the slot by which the server keeps the write-ahead log that the archive has not received yet. */
export const ARCHIVE_SLOT = 'website_archive';

/** PostgreSQL's server as a role sees it that may replicate and do nothing else. */
export interface ReplicationServer {
  /** Of the data folder since it was made: another server has another one. */
  readonly systemId: string;
  /** Another one after each recovery to a moment. */
  readonly timeline: number;
  /** The end of its write-ahead log on disk, such as `0/3000148`. */
  readonly position: string;
}

/** A slot whose write-ahead log the server has removed since (`max_slot_wal_keep_size`) is `lost`. */
type SlotState = 'usable' | 'missing' | 'lost';

/** Runs commands of the replication protocol, which PostgreSQL calls `physical replication`. */
async function withReplication<Result>(url: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const connection = new URL(url);
  connection.searchParams.set('replication', 'true');
  const client = new pg.Client({
    connectionString: connection.href,
    application_name: 'archive',
    connectionTimeoutMillis: 10 * Second,
    query_timeout: 60 * Second,
  });
  // A connection that ends later is no error of ours: the command before has its result.
  client.on('error', () => undefined);

  try {
    await client.connect();

    return await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Identifies the server.
 * @throws pg's errors
 */
export async function identifyServer(url: string): Promise<ReplicationServer> {
  return withReplication(url, async (client) => {
    const { rows } = await client.query<{ systemid: string; timeline: string; xlogpos: string }>('IDENTIFY_SYSTEM');
    const [row] = rows;
    if (!row) throw new SiteError('PostgreSQL did not identify itself.');

    return { systemId: row.systemid, timeline: Number(row.timeline), position: row.xlogpos };
  });
}

/**
 * Looks at a physical slot. Names are of lower-case letters and underscores.
 * @throws pg's errors
 */
export async function readSlot(url: string, name: string): Promise<SlotState> {
  return withReplication(url, async (client) => {
    const { rows } = await client.query<{ slot_type: string | null; restart_lsn: string | null }>(
      `READ_REPLICATION_SLOT ${name}`,
    );
    const [slot] = rows;
    if (!slot?.slot_type) return 'missing';

    return slot.restart_lsn === null ? 'lost' : 'usable';
  });
}

/**
 * Makes a slot, from which on the server keeps its write-ahead log; in the place of one, if there is one.
 * @throws pg's errors
 */
export async function replaceSlot(url: string, name: string, state: SlotState): Promise<void> {
  await withReplication(url, async (client) => {
    if (state !== 'missing') await client.query(`DROP_REPLICATION_SLOT ${name} WAIT`);
    await client.query(`CREATE_REPLICATION_SLOT ${name} PHYSICAL RESERVE_WAL`);
  });
}

/** A slot as every role may see it. */
interface SlotUse {
  /** Whether the server sends its log to somebody by it now. */
  readonly isActive: boolean;
  /** Bytes that the server keeps for it, also what was received of the segment of 16 MB that isn't full; null once they are lost. */
  readonly retainedBytes: number | null;
}

/**
 * Sees how a slot is used; undefined when there is none.
 * @throws the database's errors
 */
export async function readSlotUse(database: Database, name: string): Promise<SlotUse | undefined> {
  const { rows } = await database.raw<{ rows: SlotUse[] }>(
    `select active as "isActive", pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)::float8 as "retainedBytes"
     from pg_replication_slots where slot_name = ?`,
    [name],
  );

  return rows[0];
}

/**
 * Reads how many bytes of its log the server keeps for a slot at most (`max_slot_wal_keep_size`); undefined when it
 * has no bound.
 * @throws the database's errors
 */
export async function readSlotBound(database: Database): Promise<number | undefined> {
  const { rows } = await database.raw<{ rows: Array<{ bytes: number }> }>(
    `select pg_size_bytes(current_setting('max_slot_wal_keep_size'))::float8 as bytes`,
  );
  const bytes = rows[0]?.bytes ?? -1;

  return bytes < 0 ? undefined : bytes;
}
