import { loadConfig } from '../../shared/node/config/config.ts';
import { createDatabase } from '../../shared/node/database/database.ts';
import { readLongestWaitMs } from '../../shared/node/deliveries/sweep-queries.ts';
import { SiteError } from '../../shared/node/logging/describe-error.ts';
import { Minute } from '../../shared/time.ts';
import { MAX_HEARTBEAT_AGE, readHeartbeatAge } from './heartbeat.ts';

/** Longest time a delivery may be claimable without being claimed. */
const MAX_WAIT = 5 * Minute;

/**
 * The liveness probe: whether to restart this worker would help, as its loop has stopped. An outage of
 * PostgreSQL or a backlog, which `checkHealth` finds, is no reason: all workers would be restarted for
 * it, again and again.
 * @throws SiteError when the worker hangs
 */
export async function checkLiveness(): Promise<void> {
  if ((await readHeartbeatAge()) > MAX_HEARTBEAT_AGE) throw new SiteError('The worker hangs.');
}

/**
 * The worker's health, for people, Compose and readiness: its loop runs, PostgreSQL can be asked, and
 * nothing that could be tried has been waiting.
 * @throws SiteError that says what is wrong, or the database's error
 */
export async function checkHealth(): Promise<void> {
  const database = createDatabase(loadConfig().databaseUrl, 'health');
  const waitMs = await readLongestWaitMs(database);
  const heartbeatAge = await readHeartbeatAge();
  await database.destroy();

  if (heartbeatAge > MAX_HEARTBEAT_AGE) throw new SiteError('The worker has not swept lately.');
  if (waitMs > MAX_WAIT) throw new SiteError('A delivery has been waiting to be tried for too long.');
}
