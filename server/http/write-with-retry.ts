import { setTimeout as wait } from 'node:timers/promises';
import { isDatabaseUnavailable } from '../../shared/node/database/database.ts';
import { answerInTime } from './answer-in-time.ts';

const MAX_TRIES = 3;

/** Long enough for the pool to hear of all the connections that ended with one. */
const RETRY_PAUSE = 100;

/** A time-out has used up the visitor's patience already; a cut connection fails at once. */
function isQuickFailure(error: unknown): boolean {
  return error instanceof Error && !/time-?out/i.test(error.message);
}

async function tryRepeatedly<Result>(write: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      const isWorthwhile = isDatabaseUnavailable(error) && isQuickFailure(error);
      if (attempt >= MAX_TRIES || !isWorthwhile) throw error;
      await wait(RETRY_PAUSE * attempt);
    }
  }
}

/**
 * Writes what a visitor sent, in the time of `answerInTime`; lost connections and lost races are
 * tried again.
 * @param write one transaction, harmless to repeat
 * @param unavailable told to the visitor while PostgreSQL can't be used
 * @throws AppError unavailable, and whatever else `write` throws
 */
export function writeWithRetry<Result>(
  write: () => Promise<Result>,
  unavailable: string,
): Promise<Result> {
  return answerInTime(() => tryRepeatedly(write), unavailable);
}
