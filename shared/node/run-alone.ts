import { Second } from '../time.ts';
import type { Database, Transaction } from './database.ts';

/** Well within `idle_in_transaction_session_timeout`, in milliseconds. */
const SIGN_INTERVAL = 3 * Second;

const ignore = () => undefined;

/**
 * The work has connections of its own; the one that holds the lock only says now and then that it
 * is there. A process that froze, or that the network has cut off, says nothing: PostgreSQL soon
 * ends its idle transaction, and another one gets the lock.
 */
async function workAudibly<Result>(
  transaction: Transaction,
  work: () => Promise<Result>,
): Promise<Result> {
  // A sign that fails is no news: the end of the transaction fails too.
  const signs = setInterval(() => transaction.raw('select').catch(ignore), SIGN_INTERVAL);

  try {
    return await work();
  } finally {
    clearInterval(signs);
  }
}

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

    await workAudibly(transaction, work);

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

    return workAudibly(transaction, work);
  });
}
