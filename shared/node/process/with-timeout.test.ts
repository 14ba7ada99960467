import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { TimeoutError, withTimeout } from './with-timeout.ts';

test('work within the timeout returns its result, and its signal is not aborted', async () => {
  let given: AbortSignal | undefined;
  const result = await withTimeout(async (signal) => {
    given = signal;

    return 'done';
  }, 10_000);

  expect(result).toBe('done');
  expect(given?.aborted).toBe(false);
});

test('work that fails within the timeout throws its own error', async () => {
  await expect(withTimeout(() => Promise.reject(new RangeError('its own')), 10_000)).rejects.toThrow('its own');
});

test('work beyond the timeout is aborted with a TimeoutError', async () => {
  let given: AbortSignal | undefined;
  const run = withTimeout(async (signal) => {
    given = signal;
    await wait(60_000, undefined, { signal });
  }, 5);

  await expect(run).rejects.toThrow(TimeoutError);
  expect(given?.aborted).toBe(true);
});
