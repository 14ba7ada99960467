import { setTimeout as wait } from 'node:timers/promises';

interface PeriodicTask {
  /** Should stop early if its signal is aborted. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Milliseconds between the end of a run and the start of the next one. */
  readonly intervalMs: number;
  /** Milliseconds before the first run; 0 by default. */
  readonly initialDelayMs?: number;
  readonly onError: (error: unknown) => void;
}

/** Runs a task periodically, one run at a time. Returns a function that stops it and waits for the last run. */
export function runPeriodically({
  run,
  intervalMs,
  initialDelayMs = 0,
  onError,
}: PeriodicTask): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  // An abort ends the pause early.
  const pause = (ms: number) => wait(ms, undefined, { signal }).catch(() => undefined);
  const loop = async () => {
    if (initialDelayMs > 0) await pause(initialDelayMs);
    while (!signal.aborted) {
      await run(signal).catch(onError);
      await pause(intervalMs);
    }
  };
  const stopped = loop();

  return async () => {
    stopping.abort();
    await stopped;
  };
}
