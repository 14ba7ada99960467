import { glob } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { mutationParts } from '../mutation/parts.ts';

const cwd = fileURLToPath(new URL('../../', import.meta.url));

async function matchesFiles(pattern: string): Promise<boolean> {
  const { done } = await glob(pattern, { cwd })[Symbol.asyncIterator]().next();

  return !done;
}

test.each(mutationParts)('the part $name of the mutation tests names files that are there', async ({ mutate, tests }) => {
  for (const pattern of [...mutate, ...tests]) expect([pattern, await matchesFiles(pattern)]).toEqual([pattern, true]);
});
