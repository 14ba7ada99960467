import { Second } from '../../time.ts';
import type { Database, Transaction } from './database.ts';

/** PostgreSQL ends the session of a holder that is idle for longer, and so releases its lock. */
const IDLE_TIMEOUT = 15 * Second;

/** Runs `work` while the transaction holds the lock by keepalive queries; a lost lock aborts the signal. */
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
 * Runs `work` unless another process holds the lock; returns whether it ran. A hung process loses the lock after 15
 * seconds, so `work` must tolerate a second run beside it.
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

/** Locks `key` until the transaction ends; outside of one it only waits for another holder. */
export async function lockInTransaction(database: Database | Transaction, key: string): Promise<void> {
  await database.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [key]);
}

/** Runs `work` while holding the advisory lock of `key`; the wait is bounded by the pool's `lock` timeout. */
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
