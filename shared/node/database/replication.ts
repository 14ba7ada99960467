import pg from 'pg';
import { Second } from '../../time.ts';

/** PostgreSQL's server as a role sees it that may replicate and do nothing else. */
export interface ReplicationServer {
  /** Of the data folder since it was made: another server has another one. */
  readonly systemId: string;
}

/** A slot whose write-ahead log the server has removed since (`max_slot_wal_keep_size`) is `lost`. */
export type SlotState = 'usable' | 'missing' | 'lost';

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
    const { rows } = await client.query<{ systemid: string }>('IDENTIFY_SYSTEM');

    return { systemId: rows[0]?.systemid ?? '' };
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
