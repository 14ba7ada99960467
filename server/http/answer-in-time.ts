import { isDatabaseUnavailable } from '../../shared/node/database/database.ts';
import { SiteError } from '../../shared/node/logging/describe-error.ts';
import { Second } from '../../shared/time.ts';
import { makeUnavailableError } from './errors.ts';

/** Milliseconds for all of PostgreSQL's part in one answer, so that it comes within four seconds. */
const PATIENCE = 3.5 * Second;

/**
 * Does PostgreSQL's part of an answer within the time a visitor waits. What takes longer goes on
 * unattended: whoever repeats the request finds what it committed late.
 * @param work any number of statements, harmless to repeat
 * @param unavailable told to the visitor while PostgreSQL can't be used or is too slow
 * @throws AppError unavailable, and whatever else `work` throws
 */
export async function answerInTime<Result>(
  work: () => Promise<Result>,
  unavailable: string,
): Promise<Result> {
  let patience: NodeJS.Timeout | undefined;
  const runOut = new Promise<never>((_resolve, reject) => {
    patience = setTimeout(() => {
      reject(makeUnavailableError(unavailable, new SiteError('PostgreSQL took too long.')));
    }, PATIENCE);
  });

  try {
    return await Promise.race([work(), runOut]);
  } catch (error) {
    throw isDatabaseUnavailable(error) ? makeUnavailableError(unavailable, error) : error;
  } finally {
    clearTimeout(patience);
  }
}
