import { setTimeout as wait } from 'node:timers/promises';

export interface PeriodicTask {
  /** Stops early when its signal is aborted. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Milliseconds between the end of one run and the beginning of the next. */
  readonly intervalMs: number;
  readonly onError: (error: unknown) => void;
}

/**
 * Runs a task at once and then again and again, one run at a time; a failed run is reported and
 * the next one comes as ever.
 * @returns a function that stops it and waits for the run under way
 */
export function runPeriodically({ run, intervalMs, onError }: PeriodicTask): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loop = async () => {
    while (!signal.aborted) {
      await run(signal).catch(onError);
      // An aborted pause is the end of the loop.
      await wait(intervalMs, undefined, { signal }).catch(() => undefined);
    }
  };
  const stopped = loop();

  return async () => {
    stopping.abort();
    await stopped;
  };
}
