import { createPostgresBackend, isPgPool, Queue, runMigrations, withBackend, type PgPool } from 'bullmq';
import pg from 'pg';
import { Second } from '../../time.ts';
import type { DeliveryJob } from '../../deliveries/delivery.ts';
import { SiteError } from '../logging/describe-error.ts';
import type { Logger } from '../logging/logger.ts';
import { adaptQueue, adaptWorker, jobOptions, makeProcessor, makeWorkerOptions, trackRunning } from './bullmq-adapter.ts';
import type { QueueBackend } from './job-queue.ts';

/** Name of PostgreSQL's schema for BullMQ's tables, BullMQ's own default. */
export const QUEUE_SCHEMA = 'bullmq';

const postgresBullmq = withBackend(createPostgresBackend);

function createPool(connectionString: string): pg.Pool & PgPool {
  const pool: unknown = new pg.Pool({
    connectionString,
    application_name: 'queue',
    options: `-c search_path=${QUEUE_SCHEMA}`,
    keepAlive: true,
    connectionTimeoutMillis: 5 * Second,
    max: 10,
  });
  if (!(pool instanceof pg.Pool && isPgPool(pool))) throw new SiteError('BullMQ refuses the pool.');

  return pool;
}

/** Jobs in the site's own PostgreSQL, for installations without Redis such as the demo. */
export function createPostgresQueueBackend(databaseUrl: string, logger: Logger): QueueBackend {
  const tellAway = (error: Error) => logger.debug({ err: error }, 'PostgreSQL is away.');
  const connection = createPool(databaseUrl);
  connection.on('error', tellAway);
  // A connection in use tells of its end itself, and unheard that would end the process.
  connection.on('connect', (client) => client.on('error', tellAway));
  const openQueue = (name: string) => {
    const queue = new postgresBullmq.Queue<DeliveryJob>(name, {
      connection,
      defaultJobOptions: jobOptions,
    });
    queue.on('error', tellAway);

    return queue;
  };

  return {
    isReady: () => true,
    ping: () => connection.query('select'),
    // It is loaded with this file, which is loaded for it.
    prepare: async () => undefined,
    openQueue: async (name) => adaptQueue(openQueue(name)),
    openInspectedQueue: async (name) => {
      const queue: unknown = openQueue(name);
      if (!(queue instanceof Queue)) throw new SiteError('This is no queue of BullMQ.');

      return queue;
    },
    startWorker: async (name, handle, settings) => {
      const tracked = trackRunning(handle);
      const worker = new postgresBullmq.Worker(name, makeProcessor(tracked.handle), {
        connection,
        ...makeWorkerOptions(settings),
      });

      return adaptWorker(worker, logger, { untilIdle: tracked.untilIdle, isAway: () => false });
    },
    close: () => connection.end(),
  };
}

/** Makes or updates the tables that BullMQ needs to run on PostgreSQL. */
export async function createQueueTables(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });

  try {
    await client.connect();
    await runMigrations(client, QUEUE_SCHEMA);
  } finally {
    await client.end();
  }
}
