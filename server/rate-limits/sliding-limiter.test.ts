import fc from 'fast-check';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { createProducerConnection } from '../../shared/node/redis/connections.ts';
import { Hour, Minute, Second } from '../../shared/time.ts';
import { getNetworkKey } from './client-key.ts';
import { createSlidingLimiter } from './sliding-limiter.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: 0 }));

afterEach(() => void vi.useRealTimers());

const createLimiter = () =>
  createSlidingLimiter(undefined, { name: 'test', count: 3, windowMs: 1 * Hour, getKey: getNetworkKey });

const address = '203.0.113.1';

test('as many as the limit go through within any time of its length, and no fewer', async () => {
  const anyWait = fc.oneof(fc.integer({ min: 0, max: 40 * Minute }), fc.constantFrom(0, 20 * Minute, 1 * Hour - 1, 1));
  const anyRequest = fc.record({ wait: anyWait, isRefunded: fc.boolean() });

  await fc.assert(
    fc.asyncProperty(fc.array(anyRequest, { maxLength: 30 }), async (requests) => {
      vi.setSystemTime(0);
      const limiter = createLimiter();
      const through: number[] = [];
      for (const { wait, isRefunded } of requests) {
        vi.setSystemTime(Date.now() + wait);
        const now = Date.now();
        const isExpected = through.filter((time) => time > now - 1 * Hour).length < 3;

        const refund = await limiter.consume(address);

        expect(refund !== undefined).toBe(isExpected);
        if (isRefunded) await refund?.();
        else if (refund) through.push(now);
      }
    }),
  );
});

test('of requests at the same time too, and for each network', async () => {
  const limiter = createLimiter();
  const consume = (client: string) => limiter.consume(client).then((refund) => refund !== undefined);

  const through = await Promise.all(Array.from({ length: 9 }, (_, index) => consume(`203.0.113.${index}`)));

  expect(through.filter(Boolean)).toHaveLength(3);
  expect(await consume('203.0.114.1')).toBe(true);
});

test.each([
  [4, 2],
  [3, 1],
  [1, 1],
])('while Redis is away a limit of %i lets %i through, and a place that is given back is free', async (count, half) => {
  const logger = createLogger({ level: 'silent', process: 'test' });
  const redis = createProducerConnection('redis://127.0.0.1:1', logger, 1 * Second);
  onTestFinished(() => redis.disconnect());
  const limiter = createSlidingLimiter(redis, { name: 'test', count, windowMs: 1 * Hour, getKey: getNetworkKey });
  const results: Array<Awaited<ReturnType<typeof limiter.consume>>> = [];
  for (let request = 0; request < count + 1; request += 1) results.push(await limiter.consume(address));

  expect(results.filter(Boolean)).toHaveLength(half);
  await results[0]?.();
  expect(await limiter.consume(address)).toBeDefined();
});
