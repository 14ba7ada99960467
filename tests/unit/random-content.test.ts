import { expect, test } from 'vitest';
import { loadContent } from '../../scripts/content/load-content.ts';
import { makeChance } from '../faults/chance.ts';
import { writeRandomContent } from '../support/random-content.ts';

const FOLDERS = 12;

test.each(Array.from({ length: FOLDERS }, (_, seed) => seed))('random valid content is accepted (seed %i)', async (seed) => {
  const { solutions } = await loadContent(await writeRandomContent(makeChance(seed)));

  expect(solutions.length).toBeGreaterThan(0);
});
