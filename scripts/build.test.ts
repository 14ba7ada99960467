import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { listInputs } from './build.ts';
import { projectRoot } from './processes.ts';

/** The files of ours that `file` imports, and those that they import. */
async function followImports(file: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(file)) return found;
  found.add(file);
  const text = await readFile(join(projectRoot, file), 'utf8');
  for (const [, path = ''] of text.matchAll(/ from '(\.[^']+)'/g)) {
    await followImports(join(dirname(file), path), found);
  }

  return found;
}

test('what a build is made of is built again when it changes', async () => {
  const inputs = await listInputs();
  const imported = await followImports('vite.config.ts', await followImports('scripts/build-site.ts'));

  expect([...imported].filter((file) => !inputs.includes(file)).sort()).toEqual([
    // The project's root and its class of errors, of which nothing gets into the build.
    'scripts/lock.mjs',
    'scripts/processes.ts',
    'shared/node/logging/describe-error.ts',
  ]);
  expect(inputs).toContain('client/start.ts');
  expect(inputs).toContain('client/assets/pictures/hero-home.jpg');
  expect(inputs).toContain('shared/content/legal/privacy-policy.mdx');
});

test('tests, and what only servers run, are no part of it', async () => {
  for (const file of await listInputs()) expect(file).not.toMatch(/\.test\.tsx?$|^shared\/node\/(?!content\/)/);
});
