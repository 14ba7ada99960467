import { setTimeout as wait } from 'node:timers/promises';
import { listSubmissions } from '../../shared/node/contact/list-submissions.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { isDatabaseUnavailable } from '../../shared/node/database/database.ts';
import { createHoldTable, holdDeliveries } from '../../shared/node/deliveries/delivery-hold.ts';
import { Minute, Second } from '../../shared/time.ts';
import { OpsError } from '../cli/session.ts';
import { requireNoOtherConnections } from './empty-database.ts';

/** Far longer than a week of write-ahead log takes. */
const RECOVERY_TIMEOUT = 60 * Minute;
const RETRY_DELAY = 1 * Second;

/** A database that PostgreSQL has recovered. */
interface Recovered {
  /** When its last transaction was committed; undefined where PostgreSQL was started again since, or from no archive. */
  readonly recoveredTo: Date | undefined;
  readonly newestRequestAt: Date | undefined;
}

async function waitForRecovery(database: Database): Promise<Date | undefined> {
  for (const deadline = performance.now() + RECOVERY_TIMEOUT; ; await wait(RETRY_DELAY)) {
    if (performance.now() > deadline) throw new OpsError('PostgreSQL has not recovered within an hour: see its log.');

    try {
      const { rows } = await database.raw<{ rows: Array<{ recovers: boolean; time: Date | null }> }>(
        'select pg_is_in_recovery() as recovers, pg_last_xact_replay_timestamp() as time',
      );
      if (rows[0] && !rows[0].recovers) return rows[0].time ?? undefined;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
    }
  }
}

/**
 * Waits until PostgreSQL has recovered, and holds all deliveries: what was due may have been sent by the site of
 * before, as after any other restore.
 * @throws OpsError when another program is connected, which may have sent something, or when it takes an hour
 */
export async function holdRecovered(database: Database): Promise<Recovered> {
  const recoveredTo = await waitForRecovery(database);
  await requireNoOtherConnections(database);
  await database.transaction(async (transaction) => {
    await createHoldTable(transaction);
    await holdDeliveries(transaction, recoveredTo ?? new Date());
  });
  const [newest] = await listSubmissions(database, {}, 1);

  return { recoveredTo, newestRequestAt: newest?.receivedAt };
}
