import type { Database, Transaction } from './database.ts';

/** The work has connections of its own; this one only holds the lock. */
const letIdle = (transaction: Transaction) =>
  transaction.raw('set local idle_in_transaction_session_timeout = 0');

/**
 * Runs `work` unless another process is at the same work: whoever holds the advisory lock `lock`.
 * @returns whether it ran
 * @throws what `work` throws
 */
export async function runAlone(
  database: Database,
  lock: number,
  work: () => Promise<void>,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const { rows } = await transaction.raw<{ rows: Array<{ locked: boolean }> }>(
      'select pg_try_advisory_xact_lock(?) as locked',
      [lock],
    );
    if (!rows[0]?.locked) return false;

    await letIdle(transaction);
    await work();

    return true;
  });
}

/**
 * Runs `work` when nobody else, in any process, is at work under the same key.
 * @throws what `work` throws; PostgreSQL's error when the wait exceeds the pool's `lock` timeout
 */
export function runInTurn<Result>(
  database: Database,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return database.transaction(async (transaction) => {
    await transaction.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [key]);
    await letIdle(transaction);

    return work();
  });
}
