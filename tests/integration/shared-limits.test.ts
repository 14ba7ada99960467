import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { getNetworkKey } from '../../server/rate-limits/client-key.ts';
import { createRateLimiter } from '../../server/rate-limits/rate-limiter.ts';
import { createSlidingLimiter } from '../../server/rate-limits/sliding-limiter.ts';
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

test('the places of a sliding limit are those of all processes, each for its window or until it is given back', async () => {
  const options = { name: 'sliding', count: 3, windowMs: 10 * Minute, getKey: getNetworkKey };
  const [one, other] = [createSlidingLimiter(await connect(), options), createSlidingLimiter(await connect(), options)];
  const giveBack = await one.consume(client);
  expect([await other.consume('198.18.0.2'), await one.consume('198.18.0.3')]).toEqual([
    ...[expect.any(Function), expect.any(Function)],
  ]);
  expect([await one.consume(client), await other.consume(client)]).toEqual([undefined, undefined]);
  expect(await one.consume('198.18.1.1')).toBeDefined();
  const ttl = await server.command('pttl', 'limit:sliding-1:198.18.0.0/24');
  expect(Number(ttl)).toBeGreaterThan(9 * Minute);
  expect(Number(ttl)).toBeLessThanOrEqual(10 * Minute);

  await giveBack?.();
  expect(await one.consume(client)).toBeDefined();
  expect(await one.consume(client)).toBeUndefined();
});

test('a place that can’t be given back because Redis hangs stays taken, and is no error', async () => {
  const limiter = createSlidingLimiter(await connect(), { name: 'sliding', count: 1, windowMs: 10 * Minute, getKey: getNetworkKey });
  const giveBack = await limiter.consume(client);
  server.freeze();
  onTestFinished(() => server.thaw());

  await expect(giveBack?.()).resolves.toBeUndefined();
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
