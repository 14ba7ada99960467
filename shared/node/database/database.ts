import knex from 'knex';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { Minute, Second } from '../../time.ts';
import { getErrorCode } from '../logging/describe-error.ts';

export type Database = Knex;
export type Transaction = Knex.Transaction;
/** SQL with its bindings. It can be bound to a `?` in a query or in other SQL. */
export type Raw = Knex.Raw;

/** New values of some columns of a row, or SQL for them. */
export type RowChange<Row> = Knex.DbRecord<Row>;

/** Returns how many rows a query matches. */
export async function countRows(query: Knex.QueryBuilder): Promise<number> {
  const [row] = await query.count<Array<{ count: string }>>();

  return Number(row?.count);
}

/** Returns SQL for PostgreSQL's current time plus `ms` milliseconds, which may be negative. */
export const nowPlusMs = (database: Database | Transaction, ms: number): Raw =>
  database.raw("now() + ? * interval '1 millisecond'", [ms]);

/** Returns an SQL condition: a time has passed, or a wrong clock set it over an hour ahead (decision 002). */
export const isOver = (column: string): string =>
  `(${column} <= now() or ${column} > now() + interval '1 hour')`;

/** Timeouts for a pool's connections, in milliseconds. */
interface DatabaseTimeouts {
  /** How long to wait for a free connection from the pool. */
  readonly acquire: number;
  readonly connect: number;
  /** PostgreSQL's `statement_timeout`. */
  readonly statement: number;
  /** PostgreSQL's `lock_timeout`. */
  readonly lock: number;
  /** The client's own timeout, in case the server or network stops responding. */
  readonly query: number;
}

/** For visitors, who need a response within seconds, and deliveries, which must fail before their lease expires. */
const interactiveTimeouts: DatabaseTimeouts = {
  acquire: 2 * Second,
  connect: 2 * Second,
  statement: 3 * Second,
  lock: 3 * Second,
  query: 4 * Second,
};

/** For work on whole tables that no visitor is waiting for. */
export const batchTimeouts: DatabaseTimeouts = {
  acquire: 10 * Second,
  connect: 5 * Second,
  statement: 5 * Minute,
  lock: 10 * Second,
  query: 6 * Minute,
};

/** For checks, which can take ten seconds on a machine that is still starting up. */
export const checkTimeouts: DatabaseTimeouts = {
  acquire: 9 * Second,
  connect: 8 * Second,
  statement: 9 * Second,
  lock: 3 * Second,
  query: 9 * Second,
};

/**
 * Maximum pool size per process, by application name. Three web processes, four workers, a migration and ops together
 * stay below PostgreSQL's 97 connections (docs/operations/scale-out.md).
 */
export const poolSizes = { web: 10, worker: 8, retention: 3, ops: 4, backup: 4, doctor: 4, test: 10 } as const;

/** In seconds. With these values, the server notices a lost client within a minute instead of after two hours. */
export const KEEPALIVE_OPTIONS =
  '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3';

const ignore = () => undefined;

/** A pg connection, including a property missing from its type definitions. */
type Connection = Pick<Client, 'getTransactionStatus'> & { readonly readyForQuery: boolean };

/** Returns whether a connection is outside a transaction. A query that timed out may still begin one later. */
const isIdle = (connection: Connection) =>
  connection.readyForQuery && connection.getTransactionStatus() === 'I';

/** Merges the URL with our options. Ours take precedence, and other parameters in the URL's `options` remain. */
export function mergeConnection<Own extends { readonly options: string }>(url: string, own: Own) {
  const address = new URL(url);
  const options = [address.searchParams.get('options') ?? '', own.options].join(' ').trim();
  for (const name of Object.keys(own)) address.searchParams.delete(name);

  return { ...own, options, connectionString: address.href };
}

/** Creates a pool that connects on first use. Call `destroy()` when done. */
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
      // Once a request has been answered with 201, it must be on disk, whatever the server's own setting is.
      options: `-c lock_timeout=${timeouts.lock} -c synchronous_commit=on ${KEEPALIVE_OPTIONS}`,
      idle_in_transaction_session_timeout: 10 * Second,
      query_timeout: timeouts.query,
      keepAlive: true,
    }),
    pool: { min: 0, max: poolSizes[applicationName], validate: isIdle },
    // Keep Knex from logging to the console. Callers get the errors anyway.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
    acquireConnectionTimeout: timeouts.acquire,
  });
}

/** Runs `work` with a pool that has batch timeouts, then closes the pool. */
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
 * SQLSTATEs after which a later attempt can succeed: connection (08), authorization while passwords change (28),
 * rollback (40), resources (53), shutdown (57), system (58), read-only (25006), timeouts (25P03, 25P04), locks (55P03),
 * no database yet (3D000). Undefined names (42) are not included.
 * Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE_STATE = /^(?:08|28|40|53|57|58)|^(?:25006|25P03|25P04|3D000|55P03)$/;

/** Errors that pg and Knex throw without a code when a connection ends or a timeout expires. */
const UNAVAILABLE_MESSAGE =
  /Connection terminated|timeout expired|Query read timeout|Timeout acquiring a connection|Client has encountered a connection error/;

/** SQLSTATEs of a server that is read-only (such as a standby) or whose disk is full. */
const WRITE_REFUSED_STATES = new Set(['25006', '53100']);

/** Returns whether an error means that PostgreSQL refuses writes. */
export const isWriteRefused = (error: unknown): boolean =>
  WRITE_REFUSED_STATES.has(getErrorCode(error) ?? '');

/** Returns whether a later attempt can succeed. Returns false for errors in the statement. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = getErrorCode(error) ?? '';

  return (
    NETWORK_CODES.has(code) || UNAVAILABLE_STATE.test(code) || UNAVAILABLE_MESSAGE.test(error.message)
  );
}

const BATCH_SIZE = 500;

/** Reads any number of rows through a cursor, 500 at a time, from one snapshot. */
export async function* selectInBatches<Row>(
  database: Database,
  makeQuery: (transaction: Transaction) => Knex.QueryBuilder,
): AsyncGenerator<Row[]> {
  const transaction = await database.transaction();

  try {
    // The consumer may be slow between two fetches.
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
