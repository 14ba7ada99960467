import knex, { type Knex } from 'knex';
import type { Client } from 'pg';
import { Minute, Second } from '../../time.ts';
import { getErrorCode } from '../logging/describe-error.ts';

export type Database = Knex;
export type Transaction = Knex.Transaction;
/** SQL with its bindings, which a query or another of these may have for a `?`. */
export type Raw = Knex.Raw;

/** What some columns of a row become: values, or SQL for them. */
export type RowChange<Row> = Knex.DbRecord<Row>;

/** SQL for the time `ms` milliseconds from now, or ago if negative, by PostgreSQL's clock. */
export const nowPlusMs = (database: Database | Transaction, ms: number): Raw =>
  database.raw("now() + ? * interval '1 millisecond'", [ms]);

/**
 * SQL that is true where the time of a column is over, or so far ahead that a clock which was wrong has set it: leases and
 * waits for another attempt to send a mail take minutes (decision 002).
 */
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

/**
 * A visitor gets a response within seconds while PostgreSQL is away, hangs or is out of connections; a
 * worker's delivery fails in time for its lease. Retention, the operator's tool and backups are batch.
 */
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
 * The largest pool of one process, by its application name. Three webs and four workers, with one more
 * web while they are replaced, the migrations (3) and the operator's tool stay below the 97 connections
 * that PostgreSQL's default leaves to users; docs/operations/scale-out.md has the sum. A worker needs a
 * connection for the lock of each export that runs at once (3, and one of its sweep), for the locks of its
 * sweep and its due-runner, and for what they and the mails write.
 */
export const poolSizes = { web: 10, worker: 8, retention: 3, ops: 4, backup: 4, doctor: 4, test: 10 } as const;

/**
 * Lets the server notice within a minute that a client's machine is gone: by default it keeps such
 * connections, and the locks they hold, for more than two hours. Seconds.
 */
export const KEEPALIVE_OPTIONS =
  '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3';

const ignore = () => undefined;

/** pg's connection, with a property that its types leave out. */
type Connection = Pick<Client, 'getTransactionStatus'> & { readonly readyForQuery: boolean };

/**
 * Whether a connection is idle and outside a transaction. One whose query timed out may never respond,
 * or begin a transaction late, into which the next user's writes would go, never to be committed.
 */
const isIdle = (connection: Connection) =>
  connection.readyForQuery && connection.getTransactionStatus() === 'I';

/**
 * Merges the URL with our options, which win: pg prefers what a URL says. What the URL's own `options` say of other
 * parameters stays.
 */
export function mergeConnection<Own extends { readonly options: string }>(url: string, own: Own) {
  const address = new URL(url);
  const options = [address.searchParams.get('options') ?? '', own.options].join(' ').trim();
  for (const name of Object.keys(own)) address.searchParams.delete(name);

  return { ...own, options, connectionString: address.href };
}

/**
 * Creates a pool, which connects on first use. Call `destroy()` when done.
 * @param applicationName `application_name` in `pg_stat_activity`; it also sets the pool's size
 */
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
 * SQLSTATE classes and codes for the state of the server, not an error in the statement; a later try
 * can succeed: connection exception (08), authorization while passwords are changed (28), rollback for
 * a deadlock or serialization failure (40), insufficient resources (53), shutdown and cancelled
 * statements (57), system error (58), read-only transaction (25006), timeouts of transactions (25P03,
 * 25P04) and locks (55P03), and a database not created yet (3D000). Not class 42: an undefined name is
 * an error in the statement, or a schema of another version, which a retry doesn't fix.
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
