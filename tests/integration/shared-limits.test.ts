import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createRateLimiter } from '../../server/rate-limits/rate-limiter.ts';
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

/** Milliseconds after which a command that has no response fails, as the web process has it. */
const COMMAND_TIMEOUT = 500;
const client = '198.18.0.1';
const limit = { name: 'test', count: 4, windowMs: 10 * Minute };

async function connect() {
  const redis = createProducerConnection(server.url, createLogger({ level: 'silent', process: 'test' }), COMMAND_TIMEOUT);
  onTestFinished(() => redis.disconnect());
  await waitFor('Redis', () => redis.status === 'ready');

  return redis;
}

test('the counts of a limit are those of all processes, and only its own', async () => {
  const [one, other] = [createRateLimiter(await connect(), limit), createRateLimiter(await connect(), limit)];
  const another = createRateLimiter(await connect(), { ...limit, name: 'other' });

  expect(await one.consume(client)).toMatchObject({ count: 1, overLimitBy: 0, retryAfterSeconds: 600 });
  for (let count = 2; count <= 4; count += 1) expect(await other.consume(client)).toMatchObject({ count, overLimitBy: 0 });
  const over = await one.consume(client);
  expect(over).toMatchObject({ count: 5, overLimitBy: 1 });
  await over.refund();
  expect(await one.consume(client)).toMatchObject({ count: 5, overLimitBy: 1 });
  expect(await another.consume(client)).toMatchObject({ count: 1, overLimitBy: 0 });
  expect(await server.command('keys', '*')).toEqual(expect.arrayContaining([`limit:test:${client}`, `limit:other:${client}`]));
});

test('while Redis hangs each process counts for itself, and asks it again after a second only', async () => {
  const limiter = createRateLimiter(await connect(), limit);
  for (let count = 0; count < 3; count += 1) await limiter.consume(client);
  server.freeze();
  onTestFinished(() => server.thaw());
  const measure = async () => {
    const startedAt = performance.now();
    const { count } = await limiter.consume(client);

    return { count, ms: performance.now() - startedAt };
  };

  const first = await measure();
  const second = await measure();
  expect([first.count, second.count]).toEqual([1, 2]);
  expect(first.ms).toBeGreaterThan(COMMAND_TIMEOUT - 50);
  expect(second.ms).toBeLessThan(COMMAND_TIMEOUT / 2);
  server.thaw();
  // The process itself has counted two, Redis three before it hung.
  expect(await limiter.consume(client)).toMatchObject({ count: 3 });
  await waitFor('Redis to be asked again', async () => {
    await limiter.consume(client);

    return Number(await server.command('get', `limit:test:${client}`)) > 4;
  });
});
