import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createPostgresServer,
  type PostgresServer,
  type PostgresServerOptions,
} from '../scripts/embedded-postgres.ts';
import { migrateDatabase } from '../shared/node/database/migrate.ts';
import { createRedisServer, type RedisServer } from '../tests/support/redis-server.ts';
import type { Environment } from './pinned-process.ts';
import { productionSettings } from './production-settings.ts';
import type { AtEnd } from './run-part.ts';

/** Everybody is counted, and nobody refused. */
const NO_REFUSAL = '999999/10m';

/** The servers behind a site. */
export interface Stores {
  readonly databaseUrl: string;
  readonly redis: RedisServer;
  /** Of a site in production on them. */
  readonly settings: Environment;
}

/** A PostgreSQL without a schema, until the end. */
export async function startPostgres(
  atEnd: AtEnd,
  settings: PostgresServerOptions['settings'] = {},
): Promise<PostgresServer> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'bench-postgres-'));
  const postgres = await createPostgresServer({ dataFolder, settings });
  atEnd(() => postgres.remove());
  await postgres.start();

  return postgres;
}

/** A Redis that appends what it is told to its log once a second, until the end. */
export async function startRedis(atEnd: AtEnd): Promise<RedisServer> {
  const redis = await createRedisServer(['--appendfsync', 'everysec']);
  atEnd(() => redis.remove());
  await redis.start();

  return redis;
}

/** PostgreSQL with the schema and Redis, until the end. */
export async function startStores(atEnd: AtEnd): Promise<Stores> {
  const postgres = await startPostgres(atEnd);
  const redis = await startRedis(atEnd);
  await migrateDatabase(postgres.url);

  return {
    databaseUrl: postgres.url,
    redis,
    settings: {
      ...productionSettings,
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      RATE_LIMIT_CONTACT: NO_REFUSAL,
    },
  };
}
