import { Second } from '../../time.ts';
import type { Database, Transaction } from './database.ts';

/** PostgreSQL ends the session of a holder that is idle for longer, and so releases its lock. */
const IDLE_TIMEOUT = 15 * Second;

/**
 * Runs `work`, which has connections of its own, while the transaction only holds the lock. It sends
 * keepalive queries, so that only a hung or frozen process exceeds the idle timeout. The signal is
 * aborted when the lock is lost.
 */
async function runWithKeepalive<Result>(
  transaction: Transaction,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  await transaction.raw(`set local idle_in_transaction_session_timeout = ${IDLE_TIMEOUT}`);
  const lost = new AbortController();
  const keepalive = setInterval(() => {
    // A lost connection makes the end of the transaction throw.
    transaction.raw('select').then(undefined, () => lost.abort());
  }, IDLE_TIMEOUT / 5);

  try {
    return await work(lost.signal);
  } finally {
    clearInterval(keepalive);
  }
}

/**
 * Runs `work` unless another process holds the advisory lock `lock`. A process that hangs loses the
 * lock after 15 seconds, so `work` must tolerate a second run beside it; its signal is aborted when
 * the lock is lost.
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

    await runWithKeepalive(transaction, work);

    return true;
  });
}

/**
 * Holds the advisory lock of `key` until the transaction ends; waits for another holder, in any process.
 * Outside of a transaction it only waits. Writes nothing.
 * @throws PostgreSQL's error when the wait exceeds the pool's `lock` timeout
 */
export async function lockInTransaction(database: Database | Transaction, key: string): Promise<void> {
  await database.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [key]);
}

/**
 * Runs `work` while holding the advisory lock of `key`; waits for another holder, in any process.
 * @throws what `work` throws; PostgreSQL's error when the wait exceeds the pool's `lock` timeout
 */
export function withAdvisoryLock<Result>(
  database: Database,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  return database.transaction(async (transaction) => {
    await lockInTransaction(transaction, key);

    return runWithKeepalive(transaction, work);
  });
}
