import { expect, test } from 'vitest';
import { makeChance } from '../../tests/faults/chance.ts';
import { writeRandomContent } from '../../tests/support/random-content.ts';
import { loadContent } from './load-content.ts';

const FOLDERS = 12;

test.each(Array.from({ length: FOLDERS }, (_, seed) => seed))('random valid content is accepted (seed %i)', async (seed) => {
  const { solutions } = await loadContent(await writeRandomContent(makeChance(seed)));

  expect(solutions.length).toBeGreaterThan(0);
});
