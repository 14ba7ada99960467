import { setTimeout as wait } from 'node:timers/promises';

/** A test's random choices. The same seed always yields the same choices. */
export interface Chance {
  /** Returns a random integer from `least` to `most`, inclusive. */
  readonly between: (least: number, most: number) => number;
  readonly pick: <Item>(items: readonly [Item, ...Item[]]) => Item;
  /** Waits for a random time, so that a fault occurs at a random moment. Don't use this to wait for a condition. */
  readonly letTimePass: (maxMs: number) => Promise<void>;
}

/** Returns a generator of numbers in [0, 1). Source: mulberry32 by Tommy Ettinger, in the public domain. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;

  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);

    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function makeChance(seed: number): Chance {
  const random = mulberry32(seed);
  const between = (least: number, most: number) => least + Math.floor(random() * (most - least + 1));

  return {
    between,
    pick: ([first, ...others]) => others[between(0, others.length) - 1] ?? first,
    letTimePass: (maxMs) => wait(between(0, maxMs)),
  };
}
