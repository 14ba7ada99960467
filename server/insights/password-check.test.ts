import { expect, onTestFinished, test, vi } from 'vitest';
import { createPasswordCheck, PASSWORD_COST } from './password-check.ts';

const attempt = { password: 'wrong', delayMs: 0, isConnected: () => true };
const disconnected = { ...attempt, isConnected: () => false };

test('a hundred attempts wait, whatever they wait for; the others are refused at once', async () => {
  const check = createPasswordCheck('right');
  const attempts = Array.from({ length: 150 }, (_, index) => {
    const isDelayed = index % 2 === 1;

    return check({ ...disconnected, delayMs: isDelayed ? 20 : 0 }).then(
      () => 'checked',
      (error: unknown) => error,
    );
  });
  const ends = await Promise.all(attempts);

  // Two are checked without waiting.
  expect(ends.filter((end) => end === 'checked')).toHaveLength(102);
  const refused = ends.filter((end) => end !== 'checked');
  expect(refused).toHaveLength(48);
  for (const error of refused) expect(error).toMatchObject({ status: 503, retryAfterSeconds: 10 });
  expect(await check({ ...attempt, password: 'right' })).toBe(true);
});

test('an attempt that gets no slot within ten seconds is refused, and holds no slot', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const check = createPasswordCheck('right');
  const first = [check(attempt), check({ ...attempt, password: 'right' })];
  const waiting = Array.from({ length: 100 }, () => check(attempt).catch((error: unknown) => error));
  await expect(check(attempt)).rejects.toMatchObject({ code: 'overloaded' });
  vi.advanceTimersByTime(10_000);

  for (const error of await Promise.all(waiting)) expect(error).toMatchObject({ code: 'overloaded' });
  expect(await Promise.all(first)).toEqual([false, true]);
  expect(await check({ ...attempt, password: 'right' })).toBe(true);
});

test('a check costs a thief what OWASP recommends', () => {
  const { N = 0, r = 0, p = 0 } = PASSWORD_COST;

  // Memory in bytes, and the passes over it: https://cheatsheetseries.owasp.org, Password Storage.
  expect([128 * N * r, p]).toEqual([16 * 1024 * 1024, 5]);
});
