import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { TimeoutError, withTimeout } from '../../shared/node/process/with-timeout.ts';
import { Second } from '../../shared/time.ts';
import { AppError } from '../http/errors.ts';

/** OWASP's Password Storage Cheat Sheet: one of its equivalent settings, with 16 MiB a check. */
export const PASSWORD_COST: ScryptOptions = { N: 2 ** 14, r: 8, p: 5 };
const KEY_BYTES = 32;
const SALT_BYTES = 16;

/** Each uses a processor for a while, and pages have to be served meanwhile. */
const MAX_CONCURRENT_CHECKS = 2;

function deriveKey(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, KEY_BYTES, cost, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}

/** Attempts that wait at the same time, for their delay or in the queue; each holds a connection. */
const MAX_WAITING = 100;

/** Milliseconds an attempt may wait in all. */
const MAX_WAIT = 10 * Second;

function makeOverloadError(cause?: unknown): AppError {
  return new AppError(
    'overloaded',
    'Too many passwords are being tried right now. Please try again in a few seconds.',
    { retryAfterSeconds: MAX_WAIT / Second, cause },
  );
}

/** A stack of calls that wait for a slot: the last to come is the first to leave. */
function createSlotQueue() {
  const queue: Array<() => void> = [];

  return {
    /** @throws AppError overloaded, after `timeoutMs` */
    wait: (timeoutMs: number) =>
      withTimeout(
        (signal) =>
          new Promise<void>((resolve) => {
            queue.push(resolve);
            signal.addEventListener('abort', () => queue.splice(queue.indexOf(resolve), 1));
          }),
        timeoutMs,
      ).catch((error: unknown) => {
        throw error instanceof TimeoutError ? makeOverloadError(error) : error;
      }),
    /** Gives a slot to the next call; false when none waits. */
    handOver: () => {
      const next = queue.pop();
      next?.();

      return next !== undefined;
    },
  };
}

/**
 * Runs at most `count` calls at once. Of those that wait the last to come is the next: while somebody
 * floods the gate, a visitor is through soon, and whoever came long ago has left.
 */
function createSlots(count: number) {
  const queue = createSlotQueue();
  let free = count;
  let waiting = 0;

  const waitForSlot = async (delayMs: number) => {
    if (waiting >= MAX_WAITING) throw makeOverloadError();
    const deadline = performance.now() + MAX_WAIT;
    waiting += 1;
    try {
      if (delayMs > 0) await wait(delayMs);
      if (free > 0) free -= 1;
      else await queue.wait(deadline - performance.now());
    } finally {
      waiting -= 1;
    }
  };

  return async <Result>(delayMs: number, run: () => Promise<Result>): Promise<Result> => {
    if (delayMs === 0 && free > 0) free -= 1;
    else await waitForSlot(delayMs);
    try {
      return await run();
    } finally {
      if (!queue.handOver()) free += 1;
    }
  };
}

/** A password somebody enters. */
interface PasswordAttempt {
  readonly password: string;
  /** Milliseconds before it may be checked. */
  readonly delayMs: number;
  /** Called before the check: whoever has disconnected costs no more. */
  readonly isConnected: () => boolean;
}

/**
 * Whether a password is the right one, in constant time for every wrong one.
 * @throws AppError overloaded, when too many wait or no slot became free in time
 */
type PasswordCheck = (attempt: PasswordAttempt) => Promise<boolean>;

/** Makes the check against `password`, of which only the derived key stays in memory. */
export function createPasswordCheck(password: string, cost = PASSWORD_COST): PasswordCheck {
  const salt = randomBytes(SALT_BYTES);
  const expected = deriveKey(password, salt, cost);
  // Each check gets the error; until then it isn't unhandled.
  expected.catch(() => undefined);
  const runInSlot = createSlots(MAX_CONCURRENT_CHECKS);

  return (attempt) =>
    runInSlot(attempt.delayMs, async () => {
      if (!attempt.isConnected()) return false;

      return timingSafeEqual(await deriveKey(attempt.password, salt, cost), await expected);
    });
}
