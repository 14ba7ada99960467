import { setTimeout as wait } from 'node:timers/promises';
import { listSubmissions } from '../../shared/node/contact/list-submissions.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { isDatabaseUnavailable } from '../../shared/node/database/database.ts';
import { explainRefusedLogin } from '../../shared/node/database/try-login.ts';
import { createHoldTable, holdDeliveries } from '../../shared/node/deliveries/delivery-hold.ts';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { Minute, Second } from '../../shared/time.ts';
import { OpsError } from '../cli/session.ts';
import { requireNoOtherConnections } from './empty-database.ts';

/** Far longer than a week of write-ahead log takes. */
const RECOVERY_TIMEOUT = 60 * Minute;
const RETRY_DELAY = 1 * Second;

/** A database that PostgreSQL has recovered. */
interface Recovered {
  /** The moment that its data is of; undefined where nobody says it. */
  readonly recoveredTo: Date | undefined;
  readonly newestRequestAt: Date | undefined;
}

/** What PostgreSQL says of its recovery. */
interface Recovery {
  readonly recovers: boolean;
  /** When the last transaction was committed that it replayed; null where it was started again since, too. */
  readonly replayedTo: Date | null;
  /** The moment that was asked for; null for all that the archive has. */
  readonly target: Date | null;
}

/** The setting keeps its value after the recovery; without a time zone it is in the server's. */
const READ_RECOVERY = `
  select pg_is_in_recovery() as recovers, pg_last_xact_replay_timestamp() as "replayedTo",
    nullif(current_setting('recovery_target_time'), '')::timestamptz as target`;

/** @param report gets what is waited for, whenever that changes */
async function waitForRecovery(database: Database, report: (state: string) => void): Promise<Recovery> {
  let reported: string | undefined;
  const note = (state: string) => {
    if (state !== reported) report(state);
    reported = state;
  };

  for (const deadline = performance.now() + RECOVERY_TIMEOUT; ; await wait(RETRY_DELAY)) {
    if (performance.now() > deadline) throw new OpsError('PostgreSQL has not recovered within an hour: see its log.');

    try {
      const { rows } = await database.raw<{ rows: Recovery[] }>(READ_RECOVERY);
      if (rows[0] && !rows[0].recovers) return rows[0];
      note('PostgreSQL recovers');
    } catch (error) {
      // The restored files have the passwords of back then.
      const refusal = explainRefusedLogin(error, 'DATABASE_URL');
      if (refusal || !isDatabaseUnavailable(error)) throw refusal ?? error;
      note(`PostgreSQL does not accept connections yet (${getErrorCode(error) ?? 'no response'})`);
    }
  }
}

/** The target may be that of an earlier recovery, where the machine was set back to a snapshot since. */
function findMoment({ replayedTo, target }: Recovery, newestRequestAt: Date | undefined): Date | undefined {
  if (replayedTo) return replayedTo;

  return target && newestRequestAt && newestRequestAt > target ? undefined : (target ?? undefined);
}

/**
 * Waits until PostgreSQL has recovered, and holds all deliveries: what was due may have been sent by the site of
 * before, as after any other restore.
 * @param report gets what is waited for, whenever that changes
 * @throws OpsError when another program is connected, which may have sent something, or when it takes an hour; SiteError
 *   when the login is refused
 */
export async function holdRecovered(database: Database, report: (state: string) => void): Promise<Recovered> {
  const recovery = await waitForRecovery(database, report);
  await requireNoOtherConnections(database);
  const [newest] = await listSubmissions(database, {}, 1);
  const newestRequestAt = newest?.receivedAt;
  const recoveredTo = findMoment(recovery, newestRequestAt);
  await database.transaction(async (transaction) => {
    await createHoldTable(transaction);
    await holdDeliveries(transaction, recoveredTo ?? newestRequestAt ?? new Date());
  });

  return { recoveredTo, newestRequestAt };
}
