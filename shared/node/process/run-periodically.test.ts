import { expect, test, vi } from 'vitest';
import { runPeriodically } from './run-periodically.ts';

test('a failed run is reported, and the task runs again', async () => {
  const onError = vi.fn();
  let runs = 0;
  const stop = runPeriodically({
    run: async () => {
      runs += 1;
      if (runs === 1) throw new RangeError('the first');
    },
    intervalMs: 1,
    onError,
  });
  await vi.waitUntil(() => runs > 1);
  await stop();

  expect(onError).toHaveBeenCalledExactlyOnceWith(new RangeError('the first'));
});

test('stopping aborts the current run, waits for it, and prevents further runs', async () => {
  let runs = 0;
  const stop = runPeriodically({
    run: (signal) =>
      new Promise((resolve) => {
        runs += 1;
        signal.addEventListener('abort', () => resolve());
      }),
    intervalMs: 1,
    onError: () => undefined,
  });
  await stop();

  expect(runs).toBe(1);
});

test('stopping during the initial delay prevents the first run', async () => {
  const run = vi.fn(async () => undefined);
  const stop = runPeriodically({ run, intervalMs: 1, initialDelayMs: 60_000, onError: () => undefined });
  await stop();

  expect(run).not.toHaveBeenCalled();
});
