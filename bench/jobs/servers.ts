import type { PostgresServer } from '../../scripts/embedded-postgres.ts';
import { createDatabase, batchTimeouts, type Database } from '../../shared/node/database/database.ts';
import {
  createDeliveryScheduler,
  type DeliveryScheduler,
} from '../../shared/node/deliveries/delivery-scheduler.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { migrateDatabase } from '../../shared/node/database/migrate.ts';
import { connectQueues } from '../../shared/node/queues/queues.ts';
import type { RedisServer } from '../../tests/support/redis-server.ts';
import { waitFor } from '../../tests/support/wait-for.ts';
import { moveToLoadCore, type Environment } from '../pinned-process.ts';
import { productionSettings } from '../production-settings.ts';
import type { AtEnd } from '../run-part.ts';
import { startPostgres, startRedis } from '../start-stores.ts';
import { startSink, type Sink } from './sink.ts';

/** All that workers talk to, on the load's core. */
export interface Servers {
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly sink: Sink;
}

/** A migrated database with a queue, and what a worker has to be told to use them. */
export interface Site {
  readonly database: Database;
  readonly scheduler: DeliveryScheduler;
  readonly settings: Environment;
  readonly sink: Sink;
  /** Forgets all jobs. */
  readonly emptyQueues: () => Promise<void>;
}

/** Starts PostgreSQL, Redis and the sink, until the end of the part. */
export async function startServers(atEnd: AtEnd): Promise<Servers> {
  moveToLoadCore();
  const postgres = await startPostgres(atEnd);
  const redis = await startRedis(atEnd);
  const sink = await startSink();
  atEnd(() => sink.stop());

  return { postgres, redis, sink };
}

/** Makes a site on a database of its own. Of all sites one is used at a time: Redis is the same. */
export async function createSite(
  { postgres, redis, sink }: Servers,
  name: string,
  atEnd: AtEnd,
): Promise<Site> {
  const databaseUrl = await postgres.createDatabase(name);
  await migrateDatabase(databaseUrl);
  const database = createDatabase(databaseUrl, 'bench', batchTimeouts);
  atEnd(() => database.destroy());
  const logger = createLogger({ level: 'warn', process: 'bench', fd: 2 });
  const queues = connectQueues(redis.url, logger);
  const scheduler = createDeliveryScheduler(queues);
  atEnd(async () => {
    await scheduler.close();
    await queues.close();
  });
  await waitFor('the queues', queues.isReady);

  return {
    database,
    scheduler,
    sink,
    emptyQueues: async () => {
      await redis.command('FLUSHALL');
    },
    settings: {
      ...productionSettings,
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      SMTP_URL: sink.smtpUrl,
      CRM_PROVIDER: 'webhook',
      CRM_WEBHOOK_URL: sink.webhookUrl,
      CRM_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
      OUTBOUND_ALLOW: '127.0.0.1',
    },
  };
}
