import type { AsyncCommand } from 'fast-check';
import { expect } from 'vitest';
import { findViolations } from './invariants.ts';
import type { World } from './world.ts';

/** One command in a run of the site. `World` is both its model and its real system. */
export type Command = AsyncCommand<World, World>;

/** The parts of a command. A command is printed as its call, so a failing list can be pasted into `regressions.ts`. */
interface CommandParts {
  /** For example `submit(0, false)`. */
  readonly call: string;
  /** Whether the command can run now. */
  readonly check: (world: Readonly<World>) => boolean;
  readonly run: (world: World) => Promise<unknown>;
}

/** Makes a command. Every invariant is checked after it runs. */
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
