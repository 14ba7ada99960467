import { SiteError } from '../shared/node/logging/describe-error.ts';
import { exitOnFailure } from '../shared/node/process/process.ts';
import { MAX_HEARTBEAT_AGE, readHeartbeatAge } from './health/heartbeat.ts';

/**
 * Whether starting this worker anew would help, for orchestrators that restart what is unhealthy:
 * its loop has stopped turning. An outage of PostgreSQL or a backlog, which `check-health.ts` tells
 * too, is no reason: all workers would be restarted for it, again and again.
 */
await exitOnFailure(async () => {
  if ((await readHeartbeatAge()) > MAX_HEARTBEAT_AGE) throw new SiteError('The worker hangs.');
});
