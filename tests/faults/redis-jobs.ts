import { expect } from 'vitest';
import { getJobId } from '../../shared/deliveries/delivery.ts';
import type { Database } from '../../shared/node/database.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { waitFor } from '../support/wait-for.ts';

interface Servers {
  readonly database: Database;
  readonly redis: RedisServer;
}

const MAX_REPAIR_MS = 60_000;

/** Milliseconds by which a job may differ: the time it took to ask and to add. */
const TOLERANCE_MS = 60_000;

/** For each pending delivery how far its job's time is from the delivery's; undefined without job. */
async function compareJobs({ database, redis }: Servers): Promise<Array<number | undefined>> {
  const deliveries = await database('deliveries').where({ state: 'pending' });

  return Promise.all(
    deliveries.map(async ({ id, kind, due_at: dueAt }) => {
      const key = `bull:${kind}:${getJobId(id)}`;
      if ((await redis.command('EXISTS', key)) === 0) return undefined;
      const answer = (await redis.command('HMGET', key, 'delay', 'timestamp')) as string[];
      const [delay, madeAt] = answer;

      return Math.abs(Number(delay) + Number(madeAt) - dueAt.getTime());
    }),
  );
}

/** How many pending deliveries have no job. */
export async function countMissingJobs(servers: Servers): Promise<number> {
  return (await compareJobs(servers)).filter((difference) => difference === undefined).length;
}

/** Waits until every pending delivery has a job, which is due when the delivery is. */
export async function untilJobsAreBack(servers: Servers): Promise<void> {
  await waitFor(
    'every job',
    async () => (await countMissingJobs(servers)) === 0,
    MAX_REPAIR_MS,
  );

  for (const difference of await compareJobs(servers)) {
    expect(difference ?? 0).toBeLessThan(TOLERANCE_MS);
  }
}
