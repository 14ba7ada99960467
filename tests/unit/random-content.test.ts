import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadContent } from '../../scripts/content/load-content.ts';
import { projectRoot } from '../../scripts/processes.ts';
import { makeChance } from '../faults/chance.ts';
import { randomizeContent } from '../support/random-content.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const FOLDERS = 12;

/* The stack test publishes such a folder and follows its links. */
test.each(Array.from({ length: FOLDERS }, (_, seed) => seed))('random valid content is accepted (seed %i)', async (seed) => {
  const folder = makeTemporaryFolder();
  await cp(join(projectRoot, 'content'), folder, { recursive: true });
  await randomizeContent(folder, makeChance(seed));
  const { solutions } = await loadContent(folder);

  expect(solutions.length).toBeGreaterThan(0);
});
