import { setTimeout as wait } from 'node:timers/promises';
import { isDatabaseUnavailable } from '../../shared/node/database/database.ts';
import { TimeoutError, withTimeout } from '../../shared/node/process/with-timeout.ts';
import { Second } from '../../shared/time.ts';
import { makeUnavailableError } from './errors.ts';

/** Milliseconds for all of PostgreSQL's part in one response, so that it comes within four seconds. */
const DATABASE_TIMEOUT = 3.5 * Second;

const MAX_ATTEMPTS = 3;

/** Milliseconds, long enough for the pool to notice every connection that ended with one. */
const RETRY_DELAY = 100;

/**
 * Does PostgreSQL's part of a response within the time a visitor waits. Work that takes longer goes on unattended until
 * the pool's timeouts (3 to 4 s) end it.
 * @param work any number of statements, harmless to repeat
 * @param unavailable shown to the visitor while PostgreSQL can't be used or is too slow
 */
export async function withDatabaseTimeout<Result>(
  work: () => Promise<Result>,
  unavailable: string,
): Promise<Result> {
  try {
    return await withTimeout(work, DATABASE_TIMEOUT);
  } catch (error) {
    const isUnavailable = error instanceof TimeoutError || isDatabaseUnavailable(error);

    throw isUnavailable ? makeUnavailableError(unavailable, error) : error;
  }
}

/** A statement's timeout has used up the visitor's time already; a lost connection fails at once. */
function failedAtOnce(error: unknown): boolean {
  return error instanceof Error && !/time-?out/i.test(error.message);
}

async function retryLostConnections<Result>(write: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      const isWorthwhile = isDatabaseUnavailable(error) && failedAtOnce(error);
      if (attempt >= MAX_ATTEMPTS || !isWorthwhile) throw error;
      await wait(RETRY_DELAY * attempt);
    }
  }
}

/** Writes in one transaction within the time of `withDatabaseTimeout`; lost connections and lost races are retried. */
export function writeWithRetry<Result>(
  write: () => Promise<Result>,
  unavailable: string,
): Promise<Result> {
  return withDatabaseTimeout(() => retryLostConnections(write), unavailable);
}
