import knex, { type Knex } from 'knex';
import type { Client } from 'pg';
import { Minute, Second } from '../../time.ts';
import { getErrorCode } from '../logging/error-code.ts';

export type Database = Knex;
export type Transaction = Knex.Transaction;

/** SQL for a time `ms` from now, by PostgreSQL's clock. */
export const addMs = (database: Database | Transaction, ms: number): Knex.Raw =>
  database.raw("now() + ? * interval '1 millisecond'", [ms]);

/** Bounds of one use of the database, in milliseconds. */
export interface DatabaseTimeouts {
  readonly acquire: number;
  readonly connect: number;
  readonly statement: number;
  /** Waiting for another's lock. */
  readonly lock: number;
  /** Measured here, not by the server: ends waiting on a connection that went silent. */
  readonly query: number;
}

/** A visitor gets an answer within seconds while PostgreSQL is away, hangs or is out of connections. */
const promptTimeouts: DatabaseTimeouts = {
  acquire: 2 * Second,
  connect: 2 * Second,
  statement: 3 * Second,
  lock: 3 * Second,
  query: 4 * Second,
};

/** For work through whole tables, for which nobody waits in a browser. */
export const batchTimeouts: DatabaseTimeouts = {
  acquire: 10 * Second,
  connect: 5 * Second,
  statement: 5 * Minute,
  lock: 10 * Second,
  query: 6 * Minute,
};

/**
 * Most connections one process opens, by what it is for. Three webs and four workers, with a web more
 * while they are replaced, the migrations (3) and the operator's tools stay below the 97 that
 * PostgreSQL's default leaves to users; docs/operations/scale-out.md has the sum. A worker's pool
 * must hold an export's lock for each that runs at once (5), its sweep's, its due-runner's, and what
 * those write.
 */
export const poolSizes = { web: 10, worker: 8, privacy: 3, health: 1, ops: 4, doctor: 4 } as const;

const DEFAULT_POOL_SIZE = 10;

function getPoolSize(applicationName: string): number {
  return (poolSizes as Readonly<Record<string, number>>)[applicationName] ?? DEFAULT_POOL_SIZE;
}

/**
 * Asks the server to notice within a minute that a client's machine is gone: by default it keeps such
 * connections, and the locks they hold, for more than two hours. Seconds.
 */
export const handleLostClients =
  '-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3';

const ignore = () => undefined;

/** pg's connection, with a property that its types leave out. */
type Connection = Pick<Client, 'getTransactionStatus'> & { readonly readyForQuery: boolean };

/**
 * Whether a connection is as good as new. One whose query ran out of time may be silent for ever, or
 * begin a transaction late, into which the next user's writes would fall, never to be committed.
 */
const isAtRest = (connection: Connection) =>
  connection.readyForQuery && connection.getTransactionStatus() === 'I';

/**
 * Makes the pool; connects on first use. Call `destroy()` when done.
 * @param applicationName what the connections are for, as PostgreSQL lists them
 */
export function createDatabase(
  url: string,
  applicationName: string,
  timeouts: DatabaseTimeouts = promptTimeouts,
): Database {
  return knex({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: applicationName,
      connectionTimeoutMillis: timeouts.connect,
      statement_timeout: timeouts.statement,
      // What is confirmed to a visitor is on the disk, whatever the server's own setting is.
      options: `-c lock_timeout=${timeouts.lock} -c synchronous_commit=on ${handleLostClients}`,
      idle_in_transaction_session_timeout: 10 * Second,
      query_timeout: timeouts.query,
      keepAlive: true,
    },
    pool: { min: 0, max: getPoolSize(applicationName), validate: isAtRest },
    // Knex would write lines of its own to the console; its errors reach the callers anyway.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
    acquireConnectionTimeout: timeouts.acquire,
  });
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
 * SQLSTATE classes and codes that speak of the server's state, not of the statement, and end without a
 * change of ours: connection (08), authorization while passwords are changed (28), rollback for a
 * deadlock or serialization (40), resources (53), shutdown and cancelled statements (57), the
 * server's own system (58), read-only (25006), time-outs of transactions (25P03, 25P04) and locks
 * (55P03), and a database not created yet (3D000). Not class 42: a name PostgreSQL doesn't know is a
 * fault in the statement, or a schema of another version, which trying again doesn't end.
 * Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE_STATE = /^(?:08|28|40|53|57|58)|^(?:25006|25P03|25P04|3D000|55P03)$/;

/** Errors that pg and Knex raise without a code when a connection ends or time runs out. */
const UNAVAILABLE_MESSAGE =
  /Connection terminated|timeout expired|Query read timeout|Timeout acquiring a connection|Client has encountered a connection error/;

/** Errors of a server that answers and takes no writes: read-only (a standby, say), or its disk is full. */
const WRITE_REFUSED_STATES = new Set(['25006', '53100']);

/** Whether PostgreSQL refuses to write, which a restart of it doesn't mend. */
export const isWriteRefused = (error: unknown): boolean =>
  WRITE_REFUSED_STATES.has(getErrorCode(error) ?? '');

/** Whether an error means 'try again later' rather than a fault in what was asked. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = getErrorCode(error) ?? '';

  return (
    NETWORK_CODES.has(code) || UNAVAILABLE_STATE.test(code) || UNAVAILABLE_MESSAGE.test(error.message)
  );
}
