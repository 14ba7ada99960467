import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Second } from '../../shared/time.ts';
import { AppError } from '../http/errors.ts';

/** OWASP's Password Storage Cheat Sheet: one of its equivalent settings, with 16 MiB a check. */
const COST: ScryptOptions = { N: 2 ** 14, r: 8, p: 5 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;

/** Each keeps a processor busy for a while, and pages have to be served meanwhile. */
const MAX_CONCURRENT_CHECKS = 2;

function deriveKey(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, KEY_BYTES, COST, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}

/** Tries that wait at the same time, for their delay or for their turn; each holds a connection. */
const MAX_WAITING = 100;

/** Milliseconds a try may wait in all. */
const MAX_WAIT = 10 * Second;

function makeOverloadError(): AppError {
  return new AppError(
    'overloaded',
    'Too many passwords are being tried right now. Please try again in a few seconds.',
    { retryAfterSeconds: MAX_WAIT / Second },
  );
}

/**
 * Runs at most `places` calls at once. Of those that wait the last to come is the next: while
 * somebody floods the gate, a visitor is through soon, and who came long ago has given up.
 */
function createTurns(places: number) {
  const queue: Array<() => void> = [];
  let free = places;
  let waiting = 0;

  const waitForTurn = (latestAt: number) =>
    new Promise<void>((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.splice(queue.indexOf(begin), 1);
        reject(makeOverloadError());
      }, latestAt - performance.now());
      queue.push(begin);
    });

  const waitInLine = async (delayMs: number) => {
    if (waiting >= MAX_WAITING) throw makeOverloadError();
    const latestAt = performance.now() + MAX_WAIT;
    waiting += 1;
    try {
      if (delayMs > 0) await wait(delayMs);
      if (free > 0) free -= 1;
      else await waitForTurn(latestAt);
    } finally {
      waiting -= 1;
    }
  };

  return async <Result>(delayMs: number, run: () => Promise<Result>): Promise<Result> => {
    if (delayMs === 0 && free > 0) free -= 1;
    else await waitInLine(delayMs);
    try {
      return await run();
    } finally {
      const next = queue.pop();
      if (next) next();
      else free += 1;
    }
  };
}

/** A password somebody tries. */
export interface PasswordAttempt {
  readonly password: string;
  /** Milliseconds before it may have its turn. */
  readonly delayMs: number;
  /** Asked when its turn comes: whoever hung up costs no more. */
  readonly isWanted: () => boolean;
}

/**
 * Whether a password is the right one, found out in the same time for every wrong one.
 * @throws AppError overloaded, when too many wait or its turn didn't come in time
 */
export type PasswordCheck = (attempt: PasswordAttempt) => Promise<boolean>;

/** Makes the check against `password`, of which only the derived key is kept. */
export function createPasswordCheck(password: string): PasswordCheck {
  const salt = randomBytes(SALT_BYTES);
  const expected = deriveKey(password, salt);
  // Whoever asks gets the error; until then it isn't unhandled.
  expected.catch(() => undefined);
  const takeTurn = createTurns(MAX_CONCURRENT_CHECKS);

  return (attempt) =>
    takeTurn(attempt.delayMs, async () => {
      if (!attempt.isWanted()) return false;

      return timingSafeEqual(await deriveKey(attempt.password, salt), await expected);
    });
}
