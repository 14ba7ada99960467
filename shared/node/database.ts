import knex, { type Knex } from 'knex';
import { Second } from '../time.ts';
import { getErrorCode } from './error-code.ts';

export type Database = Knex;
export type Transaction = Knex.Transaction;

/**
 * Bounds of one use of the database, in milliseconds: a visitor gets an answer within seconds
 * while PostgreSQL is away, hangs or is out of connections.
 */
const databaseTimeouts = {
  acquire: 2 * Second,
  connect: 2 * Second,
  statement: 3 * Second,
  /** Measured here, not by the server: ends waiting on a connection that went silent. */
  query: 4 * Second,
} as const;

const MAX_CONNECTIONS = 10;

const ignore = () => undefined;

/** Makes the pool; connects on first use. Call `destroy()` when done. */
export function createDatabase(url: string, applicationName: string): Database {
  return knex({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: applicationName,
      connectionTimeoutMillis: databaseTimeouts.connect,
      statement_timeout: databaseTimeouts.statement,
      options: `-c lock_timeout=${databaseTimeouts.statement}`,
      idle_in_transaction_session_timeout: 10 * Second,
      query_timeout: databaseTimeouts.query,
      keepAlive: true,
    },
    pool: { min: 0, max: MAX_CONNECTIONS },
    // Knex would write lines of its own to the console; its errors reach the callers anyway.
    log: { warn: ignore, error: ignore, deprecate: ignore, debug: ignore },
    acquireConnectionTimeout: databaseTimeouts.acquire,
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
 * SQLSTATE classes and codes that speak of the server's state, not of the statement: connection,
 * resources, shutdown, read-only, timeouts and locks, serialization, missing database or tables.
 * Source: https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE_STATE = /^(?:08|28|40|53|57|58)|^(?:25006|25P03|3D000|42P01|42703|55P03)$/;

/** Errors that pg and Knex raise without a code when a connection ends or time runs out. */
const UNAVAILABLE_MESSAGE =
  /Connection terminated|timeout expired|Query read timeout|Timeout acquiring a connection|Client has encountered a connection error/;

/** Whether an error means 'try again later' rather than a fault in what was asked. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = getErrorCode(error) ?? '';

  return (
    NETWORK_CODES.has(code) || UNAVAILABLE_STATE.test(code) || UNAVAILABLE_MESSAGE.test(error.message)
  );
}
