import { loadConfig } from '../shared/node/config/config.ts';
import { createDatabase } from '../shared/node/database.ts';
import { readOldestOverdueMs } from '../shared/node/deliveries/delivery-upkeep.ts';
import { exitOnFailure } from '../shared/node/process.ts';
import { Minute, Second } from '../shared/time.ts';
import { readHeartbeatAge } from './heartbeat.ts';

/** Two sweeps and a bit. */
const MAX_HEARTBEAT_AGE = 90 * Second;
const MAX_OVERDUE = 5 * Minute;

/** The worker container's health: its loop turns and nothing due has been lying around. */
await exitOnFailure(async () => {
  const database = createDatabase(loadConfig().databaseUrl, 'health');
  const overdueMs = await readOldestOverdueMs(database);
  const heartbeatAge = await readHeartbeatAge();
  await database.destroy();

  if (heartbeatAge > MAX_HEARTBEAT_AGE) throw new Error('The worker has not swept lately.');
  if (overdueMs > MAX_OVERDUE) throw new Error('A delivery has been due for too long.');
});
