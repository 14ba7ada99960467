import { expect } from 'vitest';
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

/** Allowed difference of a job's time in milliseconds, because reading the delivery and adding the job takes time. */
const TOLERANCE_MS = 60_000;

/** The key under which BullMQ stores the job of a delivery. */
const getJobKey = ({ id, kind }: Pick<DeliveryRow, 'id' | 'kind'>) => `bull:${kind}:${getJobId(id)}`;

/** The difference between each pending delivery's due time and its job's time in milliseconds; undefined without a job. */
async function compareJobs({ database, redis }: Servers): Promise<Array<number | undefined>> {
  const deliveries = await database('deliveries').where({ state: 'pending' });

  return Promise.all(
    deliveries.map(async ({ id, kind, due_at: dueAt }) => {
      const key = getJobKey({ id, kind });
      // Reads both fields with one command, because a job that completes meanwhile is removed.
      const reply = await redis.command('HMGET', key, 'delay', 'timestamp');
      const [delay, madeAt] = reply as [string | null, string | null];
      if (delay === null || madeAt === null) return undefined;

      return Math.abs(Number(delay) + Number(madeAt) - dueAt.getTime());
    }),
  );
}

/** Number of keys per command. */
const PORTION = 1_000;

/** The number of pending deliveries that lack a job and need one. */
export async function countMissingJobs({ database, redis }: Servers): Promise<number> {
  const pending = await database('deliveries')
    .where({ state: 'pending' })
    .whereRaw(HAS_PROVIDER)
    .select('id', 'kind');
  const keys = pending.map(getJobKey);
  let found = 0;
  for (let from = 0; from < keys.length; from += PORTION) {
    found += Number(await redis.command('EXISTS', ...keys.slice(from, from + PORTION)));
  }

  return keys.length - found;
}

/** Waits until every pending delivery has a job, and expects the job to be due when the delivery is. */
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
