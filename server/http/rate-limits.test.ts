import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { createProducerConnection } from '../../shared/node/redis/connections.ts';
import { Minute, Second } from '../../shared/time.ts';
import { createClientLimits, createRateLimiter, getClientKey, getNetworkKey, getGlobalKey } from './rate-limits.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8::2:3:4:5', '2001:db8:0:0::/64'],
  ['64:ff9b::203.0.113.7', '64:ff9b:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['203.10.113.70:50123', '203.10.113.70'],
  ['[2001:db8:1:2::3]:443', '2001:db8:1:2::/64'],
  ['203.0.113.7:443, x', 'unknown'],
  ['x, 203.0.113.7:443', 'unknown'],
  ['whatever', 'unknown'],
])('%s is counted as %s', (address, key) => {
  expect(getClientKey(address)).toBe(key);
});

test.each([
  ['203.0.113.7', '203.0.113.0/24'],
  ['::ffff:203.0.113.7', '203.0.113.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
  ['2001:0DB8:0001:ffff::1', '2001:db8:1::/48'],
  ['fe80::1%eth0', 'fe80:0:0::/48'],
  ['203.0.113.7:50123', '203.0.113.0/24'],
  ['[2001:db8:1:2::3]:443', '2001:db8:1::/48'],
  ['whatever', 'unknown'],
])('%s belongs to the network %s', (address, key) => {
  expect(getNetworkKey(address)).toBe(key);
});

const [client, other] = ['198.18.0.1', '198.18.0.2'];
const limit = { name: 'test', count: 2, windowMs: 1 * Minute };

/** Counts requests from a client. Returns whether each exceeds the limit. */
async function countTimes(count: ReturnType<typeof createRateLimiter>, times: number, address = client) {
  const results = [];
  for (let time = 0; time < times; time += 1) results.push((await count(address)).isOverLimit);

  return results;
}

describe('a limit', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('counts each request from a client', async () => {
    const count = createRateLimiter(undefined, limit);

    expect(await countTimes(count, 4)).toEqual([false, false, true, true]);
    expect(await countTimes(count, 1, other)).toEqual([false]);
  });

  test('refunds a request that had no effect', async () => {
    const count = createRateLimiter(undefined, limit);
    await count(client);
    const { refund } = await count(client);

    await refund();

    expect(await countTimes(count, 2)).toEqual([false, true]);
  });

  test('restarts when its window ends, and reports the wait in whole seconds, at least one', async () => {
    const count = createRateLimiter(undefined, limit);
    await countTimes(count, 2);
    await vi.advanceTimersByTimeAsync(0.5 * Second);
    expect(await count(client)).toMatchObject({ isOverLimit: true, retryAfterSeconds: 60 });
    await vi.advanceTimersByTimeAsync(58.9 * Second);
    expect(await count(client)).toMatchObject({ isOverLimit: true, retryAfterSeconds: 1 });

    await vi.advanceTimersByTimeAsync(0.6 * Second);

    expect(await count(client)).toMatchObject({ isOverLimit: false, retryAfterSeconds: 60 });
  });

  test('counts an IPv6 /64 as one client, unless it counts by another key', async () => {
    const byClient = createRateLimiter(undefined, { ...limit, count: 1 });
    const byAll = createRateLimiter(undefined, { ...limit, count: 1, getKey: getGlobalKey });

    expect(await countTimes(byClient, 1, '2001:db8:7:7::1')).toEqual([false]);
    expect(await countTimes(byClient, 1, '2001:db8:7:7::2')).toEqual([true]);
    expect(await countTimes(byClient, 1, '2001:db8:7:8::1')).toEqual([false]);
    expect([await countTimes(byAll, 1), await countTimes(byAll, 1, other)]).toEqual([[false], [true]]);
  });
});

describe('the limits for a client and its network', () => {
  const refusal = { code: 'rate-limited' };

  test('refuse a client over its own limit without using up its network’s', async () => {
    const count = createClientLimits(undefined, { ...limit, count: 1 }, limit);
    await count(client);
    for (let time = 0; time < 3; time += 1) await expect(count(client)).rejects.toMatchObject(refusal);

    await count(other);
    await expect(count('198.18.0.3')).rejects.toMatchObject(refusal);
    await count('198.18.1.1');
  });

  test('refund both', async () => {
    const once = { ...limit, count: 1 };
    const count = createClientLimits(undefined, once, once);

    for (const address of [client, other, client]) await (await count(address))();
  });
});

test.each([
  [5, 2],
  [4, 2],
  [1, 1],
])('without Redis, a limit of %i becomes %i', async (whole, half) => {
  const logger = createLogger({ level: 'silent', process: 'test' });
  const redis = createProducerConnection('redis://127.0.0.1:1', logger, 1 * Second);
  onTestFinished(() => redis.disconnect());
  const count = createRateLimiter(redis, { ...limit, count: whole });

  expect(await countTimes(count, half + 1)).toEqual([...Array<boolean>(half).fill(false), true]);
});
