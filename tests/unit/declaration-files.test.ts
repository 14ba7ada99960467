import { access, glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);

// The compiler doesn't check declarations (`skipLibCheck`): an import of a file that is gone would be `any`.
test('every relative import in a declaration file names a file that exists', async () => {
  const files: string[] = [];
  for await (const file of glob('{client,server,jobs,ops,shared,scripts}/**/*.d.ts', { cwd: root.pathname })) {
    files.push(file);
  }
  const imports = await Promise.all(
    files.map(async (file) => {
      const url = new URL(file, root);
      const text = await readFile(url, 'utf8');

      return [...text.matchAll(/(?:\bfrom |\bimport\(|\bimport )'(\.[^']+)'/g)].map(([, path = '']) => ({
        name: `${file}: ${path}`,
        target: new URL(path, url),
      }));
    }),
  );
  const missing = await Promise.all(
    imports.flat().map(async ({ name, target }) =>
      access(target).then(
        () => [],
        () => [name],
      ),
    ),
  );

  expect(imports.flat().length).toBeGreaterThan(3);
  expect(missing.flat()).toEqual([]);
});
