import { Second } from '../../time.ts';
import type { Database, Transaction } from './database.ts';

/** A holder that says nothing for so long is hung or gone: PostgreSQL ends it and frees its lock. */
const MAX_SILENCE = 15 * Second;

/**
 * Does the work, which has connections of its own, while the transaction only holds the lock and
 * gives signs of life. Without them a frozen process would keep its lock from all others. The signal
 * is aborted when the lock is found to be lost.
 */
async function whileHolding<Result>(
  transaction: Transaction,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  await transaction.raw(`set local idle_in_transaction_session_timeout = ${MAX_SILENCE}`);
  const lost = new AbortController();
  const signs = setInterval(() => {
    // The end of the transaction throws the error.
    transaction.raw('select').then(undefined, () => lost.abort());
  }, MAX_SILENCE / 5);

  try {
    return await work(lost.signal);
  } finally {
    clearInterval(signs);
  }
}

/**
 * Runs `work` unless another process is at the same work: whoever holds the advisory lock `lock`.
 * One that hangs loses it after a quarter of a minute, so the work must bear a second one beside it.
 * @returns whether it ran
 * @throws what `work` throws
 */
export async function tryWithAdvisoryLock(
  database: Database,
  lock: number,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const { rows } = await transaction.raw<{ rows: Array<{ locked: boolean }> }>(
      'select pg_try_advisory_xact_lock(?) as locked',
      [lock],
    );
    if (!rows[0]?.locked) return false;

    await whileHolding(transaction, work);

    return true;
  });
}

/**
 * Runs `work` when nobody else, in any process, is at work under the same key.
 * @throws what `work` throws; PostgreSQL's error when the wait exceeds the pool's `lock` timeout
 */
export function withAdvisoryLock<Result>(
  database: Database,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return database.transaction(async (transaction) => {
    await transaction.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [key]);

    return whileHolding(transaction, work);
  });
}
