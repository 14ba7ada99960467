import knex from 'knex';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { Minute, Second } from '../../time.ts';
import { getErrorCode } from '../logging/describe-error.ts';

export type Database = Knex;
export type Transaction = Knex.Transaction;
/** SQL with its bindings, which a query or another of these may have for a `?`. */
export type Raw = Knex.Raw;

/** What some columns of a row become: values, or SQL for them. */
export type RowChange<Row> = Knex.DbRecord<Row>;

/** The number of rows that a query has. */
export async function countRows(query: Knex.QueryBuilder): Promise<number> {
  const [row] = await query.count<Array<{ count: string }>>();

  return Number(row?.count);
}

/** SQL for the time `ms` milliseconds from now, or ago if negative, by PostgreSQL's clock. */
export const nowPlusMs = (database: Database | Transaction, ms: number): Raw =>
  database.raw("now() + ? * interval '1 millisecond'", [ms]);

/** SQL that is true where a time is over, or further ahead than any lease or wait (a wrong clock; decision 002). */
export const isOver = (column: string): string =>
  `(${column} <= now() or ${column} > now() + interval '1 hour')`;

/** Timeouts of a pool's connections, in milliseconds. */
interface DatabaseTimeouts {
  /** Until the pool has a free connection. */
  readonly acquire: number;
  readonly connect: number;
  /** PostgreSQL's `statement_timeout`. */
  readonly statement: number;
  /** PostgreSQL's `lock_timeout`. */
  readonly lock: number;
  /** The client's own, for a server or network that no longer responds. */
  readonly query: number;
}

/** A visitor gets a response within seconds, a delivery fails within its lease. */
const interactiveTimeouts: DatabaseTimeouts = {
  acquire: 2 * Second,
  connect: 2 * Second,
  statement: 3 * Second,
  lock: 3 * Second,
  query: 4 * Second,
};

/** For work that reads or writes whole tables while no visitor waits. */
export const batchTimeouts: DatabaseTimeouts = {
  acquire: 10 * Second,
  connect: 5 * Second,
  statement: 5 * Minute,
  lock: 10 * Second,
  query: 6 * Minute,
};

/** For checks, which have ten seconds each, also on a machine where everything has just been started. */
export const checkTimeouts: DatabaseTimeouts = {
  acquire: 9 * Second,
  connect: 8 * Second,
  statement: 9 * Second,
  lock: 3 * Second,
  query: 9 * Second,
};

/**
 * The largest pool of a process, by application name. Three webs, four workers, a migration and ops stay below
 * PostgreSQL's 97 connections; docs/operations/scale-out.md has the sum.
 */
export const poolSizes = { web: 10, worker: 8, retention: 3, ops: 4, backup: 4, doctor: 4, test: 10 } as const;

/** Lets the server notice within a minute (default: two hours) that a client's machine is gone. Seconds. */
export const KEEPALIVE_OPTIONS =
  '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3';

const ignore = () => undefined;

/** pg's connection, with a property that its types leave out. */
type Connection = Pick<Client, 'getTransactionStatus'> & { readonly readyForQuery: boolean };

/** Whether a connection is outside a transaction: a query that timed out may begin one late. */
const isIdle = (connection: Connection) =>
  connection.readyForQuery && connection.getTransactionStatus() === 'I';

/** Merges the URL with our options, which win; other parameters of the URL's `options` stay. */
export function mergeConnection<Own extends { readonly options: string }>(url: string, own: Own) {
  const address = new URL(url);
  const options = [address.searchParams.get('options') ?? '', own.options].join(' ').trim();
  for (const name of Object.keys(own)) address.searchParams.delete(name);

  return { ...own, options, connectionString: address.href };
}

/** Creates a pool, sized by `applicationName`, which connects on first use. Call `destroy()` when done. */
export function createDatabase(
  url: string,
  applicationName: keyof typeof poolSizes,
  timeouts: DatabaseTimeouts = interactiveTimeouts,
): Database {
  return knex({
    client: 'pg',
    connection: mergeConnection(url, {
      application_name: applicationName,
      connectionTimeoutMillis: timeouts.connect,
      statement_timeout: timeouts.statement,
      // What a visitor gets a 201 for is on the disk, whatever the server's own setting is.
      options: `-c lock_timeout=${timeouts.lock} -c synchronous_commit=on ${KEEPALIVE_OPTIONS}`,
      idle_in_transaction_session_timeout: 10 * Second,
      query_timeout: timeouts.query,
      keepAlive: true,
    }),
    pool: { min: 0, max: poolSizes[applicationName], validate: isIdle },
    // Knex would log to the console; its errors reach the callers anyway.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
    acquireConnectionTimeout: timeouts.acquire,
  });
}

/** Runs `work` with connections of its own for long tasks, and closes them. */
export async function withDatabase<Result>(
  url: string,
  applicationName: keyof typeof poolSizes,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = createDatabase(url, applicationName, batchTimeouts);

  return work(database).finally(() => database.destroy());
}

const NETWORK_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);

/**
 * SQLSTATE of the server's state, after which a later try can succeed: connection (08), authorization while passwords
 * change (28), rollback (40), resources (53), shutdown (57), system (58), read-only (25006), timeouts (25P03, 25P04),
 * locks (55P03), no database yet (3D000). Not an undefined name (42).
 * Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE_STATE = /^(?:08|28|40|53|57|58)|^(?:25006|25P03|25P04|3D000|55P03)$/;

/** Errors that pg and Knex throw without a code when a connection ends or a timeout expires. */
const UNAVAILABLE_MESSAGE =
  /Connection terminated|timeout expired|Query read timeout|Timeout acquiring a connection|Client has encountered a connection error/;

/** SQLSTATEs of a server that refuses writes: it is read-only (a standby, for example), or its disk is full. */
const WRITE_REFUSED_STATES = new Set(['25006', '53100']);

/** Whether PostgreSQL refuses writes, which a restart of this process doesn't fix. */
export const isWriteRefused = (error: unknown): boolean =>
  WRITE_REFUSED_STATES.has(getErrorCode(error) ?? '');

/** Whether an error means 'try again later' rather than an error in the statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = getErrorCode(error) ?? '';

  return (
    NETWORK_CODES.has(code) || UNAVAILABLE_STATE.test(code) || UNAVAILABLE_MESSAGE.test(error.message)
  );
}

const BATCH_SIZE = 500;

/** Reads any number of rows through a cursor, 500 at a time, as of the query's beginning. */
export async function* selectInBatches<Row>(
  database: Database,
  makeQuery: (transaction: Transaction) => Knex.QueryBuilder,
): AsyncGenerator<Row[]> {
  const transaction = await database.transaction();

  try {
    // The consumer may take long between two fetches.
    await transaction.raw('set local idle_in_transaction_session_timeout = 0');
    await transaction.raw('declare batches no scroll cursor for ?', [makeQuery(transaction)]);
    for (;;) {
      const { rows } = await transaction.raw<{ rows: Row[] }>(`fetch ${BATCH_SIZE} from batches`);
      if (rows.length === 0) return;
      yield rows;
    }
  } finally {
    await transaction.rollback();
  }
}
