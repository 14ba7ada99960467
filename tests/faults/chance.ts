import { setTimeout as wait } from 'node:timers/promises';

/** Random choices of a test. The same seed gives the same choices. */
export interface Chance {
  /** A whole number from `least` to `most`, both inclusive. */
  readonly between: (least: number, most: number) => number;
  readonly pick: <Item>(items: readonly [Item, ...Item[]]) => Item;
  /** Lets a random time pass, so that a fault happens at a random moment. It doesn't wait for a condition. */
  readonly letTimePass: (maxMs: number) => Promise<void>;
}

/** Returns a generator of numbers from 0 to 1 (1 excluded). Source: mulberry32 by Tommy Ettinger, in the public domain. */
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
