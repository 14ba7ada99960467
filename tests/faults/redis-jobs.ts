import { getJobId } from '../../shared/deliveries/delivery.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { HAS_PROVIDER, type DeliveryRow } from '../../shared/node/deliveries/delivery-table.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { waitFor } from '../support/wait-for.ts';

interface Servers {
  readonly database: Database;
  readonly redis: RedisServer;
}

const MAX_REPAIR_MS = 60_000;

/** Returns the key under which BullMQ stores a delivery's job. */
const getJobKey = ({ id, kind }: Pick<DeliveryRow, 'id' | 'kind'>) => `bull:${kind}:${getJobId(id)}`;

/** Returns how many pending deliveries need a job but don't have one. */
export async function countMissingJobs({ database, redis }: Servers): Promise<number> {
  const pending = await database('deliveries')
    .where({ state: 'pending' })
    .whereRaw(HAS_PROVIDER)
    .select('id', 'kind');
  const found = await Promise.all(pending.map((row) => redis.command('EXISTS', getJobKey(row))));

  return found.filter((count) => count === 0).length;
}

/** Waits until every pending delivery has a job. */
export const untilJobsAreBack = (servers: Servers) =>
  waitFor('every job', async () => (await countMissingJobs(servers)) === 0, MAX_REPAIR_MS);
