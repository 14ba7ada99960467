import { test } from 'vitest';
import { makeChance, type Chance } from './chance.ts';

const seed = Number(process.env['FAULT_SEED'] ?? 1);
const rounds = Number(process.env['FAULT_ROUNDS'] ?? 1);

/**
 * Tests one row of the fault matrix, once per round. The title contains the round's seed; pass it as `--seed` to repeat
 * the round.
 */
export function faultRow(
  row: number,
  sentence: string,
  run: (chance: Chance) => Promise<void>,
): void {
  const seeds = Array.from({ length: rounds }, (_, round) => seed + round);

  test.each(seeds)(`row ${row}: ${sentence} (seed %i)`, (own) => run(makeChance(own + row * 7919)));
}
