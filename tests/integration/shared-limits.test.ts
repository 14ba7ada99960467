import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createRateLimiter } from '../../server/http/rate-limits.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { createProducerConnection } from '../../shared/node/redis/connections.ts';
import { Minute } from '../../shared/time.ts';
import { createRedisServer, type RedisServer } from '../support/redis-server.ts';
import { waitFor } from '../support/wait-for.ts';

let server: RedisServer;

beforeAll(async () => {
  server = await createRedisServer();
  await server.start();

  return () => server.remove();
});

beforeEach(() => server.command('flushall').then(() => undefined));

/** The web process's timeout for Redis commands, in milliseconds. */
const COMMAND_TIMEOUT = 500;
const client = '198.18.0.1';
const limit = { name: 'test', count: 4, windowMs: 10 * Minute };

async function connect() {
  const redis = createProducerConnection(server.url, createLogger({ level: 'silent', process: 'test' }), COMMAND_TIMEOUT);
  onTestFinished(() => redis.disconnect());
  await waitFor('Redis', () => redis.status === 'ready');

  return redis;
}

test('a limit counts requests from all processes, separately from other limits', async () => {
  const [one, other] = [createRateLimiter(await connect(), limit), createRateLimiter(await connect(), limit)];
  const another = createRateLimiter(await connect(), { ...limit, name: 'other' });

  expect(await one(client)).toMatchObject({ isOverLimit: false, retryAfterSeconds: 600 });
  for (let count = 2; count <= 4; count += 1) expect(await other(client)).toMatchObject({ isOverLimit: false });
  const over = await one(client);
  expect(over).toMatchObject({ isOverLimit: true });
  await over.refund();
  await over.refund();
  expect(await other(client)).toMatchObject({ isOverLimit: false });
  expect(await another(client)).toMatchObject({ isOverLimit: false });
  expect(await server.command('keys', '*')).toEqual(expect.arrayContaining([`limit:test:${client}`, `limit:other:${client}`]));
});

test('while Redis hangs, each process counts requests separately', async () => {
  const count = createRateLimiter(await connect(), limit);
  for (let time = 0; time < 4; time += 1) await count(client);
  server.freeze();
  onTestFinished(() => server.thaw());

  expect([await count(client), await count(client), await count(client)]).toMatchObject([
    { isOverLimit: false },
    { isOverLimit: false },
    { isOverLimit: true },
  ]);
});
