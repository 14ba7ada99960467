import type { AsyncCommand } from 'fast-check';
import { expect } from 'vitest';
import { findViolations } from './invariants.ts';
import type { World } from './world.ts';

/** One event in the life of the site. What is known outside and the site are one object: `World`. */
export type Command = AsyncCommand<World, World>;

/** A command by the call that makes it, so that a failing list can be kept as it is printed. */
interface CommandParts {
  /** Such as `submit(0, false)`. */
  readonly call: string;
  /** Whether it can happen now. */
  readonly check: (world: Readonly<World>) => boolean;
  readonly run: (world: World) => Promise<unknown>;
}

/** Makes a command after which every invariant has to hold. */
export const makeCommand = ({ call, check, run }: CommandParts): Command => ({
  check,
  run: async (world) => {
    world.before = { stored: world.stored, event: world.history.next() };
    await run(world);
    world.stored = await world.site.readStored();
    expect(findViolations(world), call).toEqual([]);
  },
  toString: () => call,
});
