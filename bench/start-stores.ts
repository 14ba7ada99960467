import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresServer } from '../scripts/embedded-postgres.ts';
import { migrateDatabase } from '../shared/node/migrate.ts';
import { createRedisServer } from '../tests/support/redis-server.ts';
import type { Environment } from './pinned-process.ts';
import type { AtEnd } from './run-part.ts';

/** Everybody is counted, and nobody refused. */
const NO_REFUSAL = '999999/10m';

/** PostgreSQL with the schema and Redis, until the end; answers the settings of the site on them. */
export async function startStores(atEnd: AtEnd): Promise<Environment> {
  const postgres = await createPostgresServer({
    dataFolder: await mkdtemp(join(tmpdir(), 'bench-postgres-')),
  });
  atEnd(() => postgres.remove());
  const redis = await createRedisServer(['--appendfsync', 'everysec']);
  atEnd(() => redis.remove());
  await Promise.all([postgres.start(), redis.start()]);
  await migrateDatabase(postgres.url);

  return {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    COOKIE_SECRET: 'a secret for as long as it is measured',
    RATE_LIMIT_CONTACT: NO_REFUSAL,
  };
}
