import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TimeoutError, withTimeout } from './with-timeout.ts';

test('work that finishes in time returns its result or throws its own error, and its signal is not aborted', async () => {
  const signal = await withTimeout(async (given) => given, 10_000);

  expect(signal.aborted).toBe(false);
  await expect(withTimeout(() => Promise.reject(new RangeError('its own')), 10_000)).rejects.toThrow('its own');
});

test('work that exceeds the timeout is aborted with a TimeoutError', async () => {
  let given: AbortSignal | undefined;
  const run = withTimeout(async (signal) => {
    given = signal;
    await wait(60_000, undefined, { signal });
  }, 5);

  await expect(run).rejects.toThrow(TimeoutError);
  expect(given?.aborted).toBe(true);
});
