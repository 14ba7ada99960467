import type { Database } from './database.ts';

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

    // The work has connections of its own; this one only holds the lock.
    await transaction.raw('set local idle_in_transaction_session_timeout = 0');
    await work();

    return true;
  });
}
