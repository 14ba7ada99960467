import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';

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

/**
 * Runs at most `places` calls at once. Of those that wait the last to come is the next: while
 * somebody floods the gate, a visitor is through soon, and who came long ago has given up.
 */
function limitConcurrency(places: number) {
  const waiting: Array<() => void> = [];
  let free = places;

  return async <Result>(run: () => Promise<Result>): Promise<Result> => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await run();
    } finally {
      const next = waiting.pop();
      if (next) next();
      else free += 1;
    }
  };
}

/**
 * Whether a password is the right one, found out in the same time for every wrong one.
 * @param isWanted asked when the check's turn comes: whoever hung up costs no more
 */
export type PasswordCheck = (attempt: string, isWanted: () => boolean) => Promise<boolean>;

/** Makes the check against `password`, of which only the derived key is kept. */
export function createPasswordCheck(password: string): PasswordCheck {
  const salt = randomBytes(SALT_BYTES);
  const expected = deriveKey(password, salt);
  // Whoever asks gets the error; until then it isn't unhandled.
  expected.catch(() => undefined);
  const takeTurn = limitConcurrency(MAX_CONCURRENT_CHECKS);

  return (attempt, isWanted) =>
    takeTurn(async () => {
      if (!isWanted()) return false;

      return timingSafeEqual(await deriveKey(attempt, salt), await expected);
    });
}
