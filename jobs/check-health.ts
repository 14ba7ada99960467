import { loadConfig } from '../shared/node/config/config.ts';
import { createDatabase } from '../shared/node/database/database.ts';
import { readLongestWaitMs } from '../shared/node/deliveries/delivery-upkeep.ts';
import { SiteError } from '../shared/node/logging/describe-error.ts';
import { exitOnFailure } from '../shared/node/process/process.ts';
import { Minute } from '../shared/time.ts';
import { MAX_HEARTBEAT_AGE, readHeartbeatAge } from './health/heartbeat.ts';

const MAX_WAIT = 5 * Minute;

/**
 * The worker container's health: its loop turns, PostgreSQL can be asked, and nothing that could be
 * tried has been lying around. For people and alerts; see `check-alive.ts` for what restarts.
 */
await exitOnFailure(async () => {
  const database = createDatabase(loadConfig().databaseUrl, 'health');
  const waitMs = await readLongestWaitMs(database);
  const heartbeatAge = await readHeartbeatAge();
  await database.destroy();

  if (heartbeatAge > MAX_HEARTBEAT_AGE) throw new SiteError('The worker has not swept lately.');
  if (waitMs > MAX_WAIT) throw new SiteError('A delivery has been waiting to be tried for too long.');
});
