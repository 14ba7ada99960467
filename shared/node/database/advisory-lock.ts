import { Second } from '../../time.ts';
import type { Database, Transaction } from './database.ts';

/** If a lock holder is idle for longer than this, PostgreSQL ends its session, which releases the lock. */
const IDLE_TIMEOUT = 15 * Second;

/** Runs `work` while keepalive queries hold the transaction's lock. Aborts the signal if the lock is lost. */
async function runWithKeepalive<Result>(
  transaction: Transaction,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  await transaction.raw(`set local idle_in_transaction_session_timeout = ${IDLE_TIMEOUT}`);
  const lost = new AbortController();
  const keepalive = setInterval(() => {
    // If the connection is lost, ending the transaction throws.
    transaction.raw('select').then(undefined, () => lost.abort());
  }, IDLE_TIMEOUT / 5);

  try {
    return await work(lost.signal);
  } finally {
    clearInterval(keepalive);
  }
}

/**
 * Runs `work` unless another process holds the lock, and returns whether it ran. A hung process loses the lock after 15
 * seconds, so `work` must tolerate a second concurrent run.
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

/** Locks `key` until the transaction ends. Outside a transaction, it only waits for the current holder. */
export async function lockInTransaction(database: Database | Transaction, key: string): Promise<void> {
  await database.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [key]);
}

/** Runs `work` while holding the advisory lock for `key`. The pool's `lock` timeout limits the wait. */
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
