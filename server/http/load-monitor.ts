/*
 * Own code because 400 requests that come at once must be shed, too (`tests/integration/load-shedding.test.ts`).
 * `@fastify/under-pressure` notices the load of a turn after it.
 */
import { Second } from '../../shared/time.ts';

/** Milliseconds the event loop may be late before uncached pages are refused. */
const MAX_DELAY = 200;

/** Milliseconds between two samples: the resolution of the delay. */
const TICK = 20;

/** Milliseconds for the backlog to be processed. */
const RECOVERY = Second / 2;

/** Whether the event loop is too late to take on more than it has to. */
export interface LoadMonitor {
  readonly isOverloaded: () => boolean;
}

/** Late turns in a row that mean load; one alone may be a garbage collection or a page's first rendering. */
const LATE_TURNS = 2;

/**
 * Measures how long ago the event loop last turned, so that it notices load within the turn. One visitor alone is never
 * refused.
 */
export function createLoadMonitor(): LoadMonitor {
  let lastTurnAt = performance.now();
  let lateTurns = 0;
  let overloadedUntil = 0;
  const isLate = (now: number) => now - lastTurnAt > MAX_DELAY + TICK;

  setInterval(() => {
    const now = performance.now();
    lateTurns = isLate(now) ? lateTurns + 1 : 0;
    if (lateTurns >= LATE_TURNS) overloadedUntil = now + RECOVERY;
    lastTurnAt = now;
  }, TICK).unref();

  return {
    isOverloaded: () => {
      const now = performance.now();
      if (isLate(now)) overloadedUntil = now + RECOVERY;

      return now < overloadedUntil;
    },
  };
}
