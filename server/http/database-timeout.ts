import { setTimeout as wait } from 'node:timers/promises';
import { isDatabaseUnavailable } from '../../shared/node/database/database.ts';
import { TimeoutError, withTimeout } from '../../shared/node/process/with-timeout.ts';
import { Second } from '../../shared/time.ts';
import { makeUnavailableError } from './errors.ts';

/** Timeout for a response's database work, in milliseconds, so that the response is sent within four seconds. */
const DATABASE_TIMEOUT = 3.5 * Second;

const MAX_ATTEMPTS = 3;

/** Delay in milliseconds, long enough for the pool to detect all lost connections. */
const RETRY_DELAY = 100;

/**
 * Runs a response's database work for at most 3.5 s. Slower work continues in the background until the pool's
 * timeouts (3 to 4 s) end it.
 * @param work idempotent statements
 * @param unavailable shown to the visitor if PostgreSQL is unavailable or too slow
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

/** Returns false for a timeout, because it leaves no time for a retry. */
function failedAtOnce(error: unknown): boolean {
  return error instanceof Error && !/time-?out/i.test(error.message);
}

/** Runs an idempotent write with `withDatabaseTimeout` and retries it after a lost connection. */
export function writeWithRetry<Result>(
  write: () => Promise<Result>,
  unavailable: string,
): Promise<Result> {
  return withDatabaseTimeout(async () => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await write();
      } catch (error) {
        const isWorthwhile = isDatabaseUnavailable(error) && failedAtOnce(error);
        if (attempt >= MAX_ATTEMPTS || !isWorthwhile) throw error;
        await wait(RETRY_DELAY * attempt);
      }
    }
  }, unavailable);
}
