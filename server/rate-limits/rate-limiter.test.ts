import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { createProducerConnection } from '../../shared/node/redis/connections.ts';
import { Minute, Second } from '../../shared/time.ts';
import { getSharedKey } from './client-key.ts';
import { createRateLimiter } from './rate-limiter.ts';

const [client, other] = ['198.18.0.1', '198.18.0.2'];
const limit = { name: 'test', count: 2, windowMs: 1 * Minute };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a limit', () => {
  test('counts each request of a client, and says by how many it is exceeded', async () => {
    const { consume } = createRateLimiter(undefined, limit);

    for (const [count, overLimitBy] of [[1, 0], [2, 0], [3, 1], [4, 2]]) {
      expect(await consume(client)).toMatchObject({ count, overLimitBy, retryAfterSeconds: 60 });
    }
    expect(await consume(other)).toMatchObject({ count: 1, overLimitBy: 0 });
  });

  test('takes back what had no effect', async () => {
    const { consume } = createRateLimiter(undefined, limit);
    await consume(client);
    const { refund } = await consume(client);

    await refund();

    expect(await consume(client)).toMatchObject({ count: 2, overLimitBy: 0 });
    expect(await consume(client)).toMatchObject({ count: 3, overLimitBy: 1 });
  });

  test('takes back nothing of the next window, which would have a request more', async () => {
    const { consume } = createRateLimiter(undefined, limit);
    const { refund } = await consume(client);
    await vi.advanceTimersByTimeAsync(limit.windowMs);

    await refund();
    expect(await consume(client)).toMatchObject({ count: 1 });
    await refund();
    expect(await consume(client)).toMatchObject({ count: 2 });
  });

  test('begins anew when its window ends, which it names in whole seconds, one at least', async () => {
    const { consume } = createRateLimiter(undefined, limit);
    await consume(client);
    await vi.advanceTimersByTimeAsync(0.5 * Second);
    expect(await consume(client)).toMatchObject({ retryAfterSeconds: 60 });
    await vi.advanceTimersByTimeAsync(58.9 * Second);
    expect(await consume(client)).toMatchObject({ count: 3, retryAfterSeconds: 1 });

    await vi.advanceTimersByTimeAsync(0.6 * Second);

    expect(await consume(client)).toMatchObject({ count: 1, overLimitBy: 0, retryAfterSeconds: 60 });
  });

  test('counts a network of IPv6 addresses as one client, unless it is told what to count', async () => {
    const byClient = createRateLimiter(undefined, limit);
    const byAll = createRateLimiter(undefined, { ...limit, getKey: getSharedKey });

    await byClient.consume('2001:db8:7:7::1');
    expect(await byClient.consume('2001:db8:7:7::2')).toMatchObject({ count: 2 });
    expect(await byClient.consume('2001:db8:7:8::1')).toMatchObject({ count: 1 });
    await byAll.consume(client);
    expect(await byAll.consume(other)).toMatchObject({ count: 2 });
  });
});

test.each([
  [5, 2],
  [4, 2],
  [1, 1],
])('while Redis is away a limit of %i is one of %i', async (count, half) => {
  const logger = createLogger({ level: 'silent', process: 'test' });
  const redis = createProducerConnection('redis://127.0.0.1:1', logger, 1 * Second);
  onTestFinished(() => redis.disconnect());
  const { consume } = createRateLimiter(redis, { ...limit, count });

  for (let request = 1; request <= half; request += 1) {
    expect(await consume(client)).toMatchObject({ count: request, overLimitBy: 0 });
  }
  const over = await consume(client);
  expect(over).toMatchObject({ count: half + 1, overLimitBy: 1 });
  await over.refund();
  expect(await consume(client)).toMatchObject({ overLimitBy: 1 });
});
