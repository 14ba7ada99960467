import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresServer } from '../scripts/embedded-postgres.ts';
import { migrateDatabase } from '../shared/node/migrate.ts';
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

/** PostgreSQL with the schema and Redis, until the end. */
export async function startStores(atEnd: AtEnd): Promise<Stores> {
  const postgres = await createPostgresServer({
    dataFolder: await mkdtemp(join(tmpdir(), 'bench-postgres-')),
  });
  atEnd(() => postgres.remove());
  const redis = await createRedisServer(['--appendfsync', 'everysec']);
  atEnd(() => redis.remove());
  await Promise.all([postgres.start(), redis.start()]);
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
