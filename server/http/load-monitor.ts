import { Second } from '../../shared/time.ts';

/** Milliseconds the event loop may be late before pages for one visitor are refused. */
const MAX_DELAY = 200;

/** Milliseconds; how exactly the delay is known. */
const TICK = 20;

/** Time for what came meanwhile to get its turn. */
const RECOVERY = Second / 2;

/** Whether the event loop is too late to take on more than it has to. */
export interface LoadMonitor {
  readonly isOverloaded: () => boolean;
}

/** Late turns in a row that aren't chance, such as a garbage collection or a page's first rendering. */
const LATE_TURNS = 2;

/**
 * Measures how long ago the event loop last came round. `@fastify/under-pressure` and Node's
 * `monitorEventLoopDelay` sample past turns, and would let a whole turn full of renderings pass before
 * they notice; this tells within the turn, and one visitor alone is never refused.
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
