import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresServer } from '../../scripts/embedded-postgres.ts';
import { projectRoot } from '../../scripts/processes.ts';
import { createRedisServer, type RedisServer } from '../../tests/support/redis-server.ts';
import type { BenchmarkContext, Environment } from './pinned-server.ts';

/**
 * Reads the environment that the image sets for its processes: NODE_ENV and memory limits.
 * @throws if the Dockerfile's `runtime` stage has no ENV
 */
function readImageEnvironment(): Environment {
  const dockerfile = readFileSync(join(projectRoot, 'Dockerfile'), 'utf8');
  const [, line] = /^FROM debian AS runtime$[^]*?^ENV (.+)$/m.exec(dockerfile) ?? [];
  if (line === undefined) throw new Error('The Dockerfile’s runtime stage has no ENV.');
  const settings = line.matchAll(/(\w+)=(?:"([^"]*)"|(\S+))/g);

  return Object.fromEntries(
    [...settings].map(([, name = '', quoted, plain = '']) => [name, quoted ?? plain]),
  );
}

/** The image's environment. Baselines use it too, because the heap limit determines the cost of garbage collection. */
export const imageEnvironment = readImageEnvironment();

/** The Host header that visitors send. */
export const PUBLIC_HOST = 'localhost:3000';

/** Production-like settings. No server listens at the store addresses, because cached pages need no store. */
export const productionSettings: Environment = {
  ...imageEnvironment,
  PUBLIC_URL: `http://${PUBLIC_HOST}`,
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  COOKIE_SECRET: 'a public secret that only benchmarks use',
  SALES_EMAIL: 'sales@example.com',
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'site@example.com',
  // The site counts requests, but the limit is too high to reach.
  RATE_LIMIT_CONTACT: '999999/10m',
  // All requests come from one network, which gets at most three acknowledgments an hour.
  ACKNOWLEDGE: 'off',
};

/** The databases behind a site. */
export interface Stores {
  readonly databaseUrl: string;
  readonly redis: RedisServer;
  /** `productionSettings` with the stores' addresses. */
  readonly settings: Environment;
}

/** Starts a migrated PostgreSQL and a Redis with `appendfsync everysec`. The cleanup stops both. */
export async function startStores({ onCleanup }: BenchmarkContext): Promise<Stores> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'bench-postgres-'));
  const postgres = await createPostgresServer({ dataFolder });
  onCleanup(() => postgres.remove());
  await postgres.start();
  const redis = await createRedisServer(['--appendfsync', 'everysec']);
  onCleanup(() => redis.remove());
  await redis.start();
  const settings = { ...productionSettings, DATABASE_URL: postgres.url, REDIS_URL: redis.url };
  execFileSync(process.execPath, ['migrations/main.ts'], { cwd: projectRoot, env: { ...process.env, ...settings } });

  return { databaseUrl: postgres.url, redis, settings };
}
