import knex from 'knex';
import type { Knex } from 'knex';
import type { Client } from 'pg';
import { Minute, Second } from '../../time.ts';
import { getErrorCode } from '../logging/describe-error.ts';

export type Database = Knex;
export type Transaction = Knex.Transaction;
/** SQL with its bindings, which may replace a `?` of a query or of other SQL. */
export type Raw = Knex.Raw;

/** New values of some columns of a row, or SQL for them. */
export type RowChange<Row> = Knex.DbRecord<Row>;

/** Returns the number of rows of a query. */
export async function countRows(query: Knex.QueryBuilder): Promise<number> {
  const [row] = await query.count<Array<{ count: string }>>();

  return Number(row?.count);
}

/** Returns SQL for the time `ms` milliseconds from now, or ago if negative, by PostgreSQL's clock. */
export const nowPlusMs = (database: Database | Transaction, ms: number): Raw =>
  database.raw("now() + ? * interval '1 millisecond'", [ms]);

/** Returns SQL that is true if a time has passed, or is later than any lease or wait (a wrong clock; decision 002). */
export const isOver = (column: string): string =>
  `(${column} <= now() or ${column} > now() + interval '1 hour')`;

/** Timeouts of a pool's connections, in milliseconds. */
interface DatabaseTimeouts {
  /** Wait for a free connection of the pool. */
  readonly acquire: number;
  readonly connect: number;
  /** PostgreSQL's `statement_timeout`. */
  readonly statement: number;
  /** PostgreSQL's `lock_timeout`. */
  readonly lock: number;
  /** The client's timeout, for a server or network that no longer responds. */
  readonly query: number;
}

/** For visitors, who need a response within seconds, and for deliveries, whose attempts must fail within their lease. */
const interactiveTimeouts: DatabaseTimeouts = {
  acquire: 2 * Second,
  connect: 2 * Second,
  statement: 3 * Second,
  lock: 3 * Second,
  query: 4 * Second,
};

/** For work on whole tables while no visitor waits. */
export const batchTimeouts: DatabaseTimeouts = {
  acquire: 10 * Second,
  connect: 5 * Second,
  statement: 5 * Minute,
  lock: 10 * Second,
  query: 6 * Minute,
};

/** For checks, which may take ten seconds on a machine that is still starting. */
export const checkTimeouts: DatabaseTimeouts = {
  acquire: 9 * Second,
  connect: 8 * Second,
  statement: 9 * Second,
  lock: 3 * Second,
  query: 9 * Second,
};

/**
 * Largest pool of a process, by application name. Three webs, four workers, a migration and ops stay below PostgreSQL's
 * 97 connections (docs/operations/scale-out.md).
 */
export const poolSizes = { web: 10, worker: 8, retention: 3, ops: 4, backup: 4, doctor: 4, test: 10 } as const;

/** In seconds. The server notices a lost client machine within a minute instead of two hours. */
export const KEEPALIVE_OPTIONS =
  '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3';

const ignore = () => undefined;

/** pg's connection with a property that its types lack. */
type Connection = Pick<Client, 'getTransactionStatus'> & { readonly readyForQuery: boolean };

/** Returns whether a connection is outside a transaction. A query that timed out may still begin one afterwards. */
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
      // A request that was answered with 201 must be on disk, regardless of the server's own setting.
      options: `-c lock_timeout=${timeouts.lock} -c synchronous_commit=on ${KEEPALIVE_OPTIONS}`,
      idle_in_transaction_session_timeout: 10 * Second,
      query_timeout: timeouts.query,
      keepAlive: true,
    }),
    pool: { min: 0, max: poolSizes[applicationName], validate: isIdle },
    // Callers get the errors that Knex would log to the console.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
    acquireConnectionTimeout: timeouts.acquire,
  });
}

/** Runs `work` with a pool for long tasks, and closes it. */
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
 * SQLSTATEs after which a later attempt can succeed: connection (08), authorization while passwords change (28), rollback
 * (40), resources (53), shutdown (57), system (58), read-only (25006), timeouts (25P03, 25P04), locks (55P03), no
 * database yet (3D000). Not an undefined name (42).
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

/** Returns whether a later attempt can succeed. False for errors in the statement. */
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
