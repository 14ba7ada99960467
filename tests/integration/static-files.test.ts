import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { assetsPrefix } from '../../shared/paths.ts';
import { openWeb } from '../support/open-site.ts';
import { requestRaw } from '../support/raw-http.ts';

const folder = fileURLToPath(new URL('../../dist/client/assets/', import.meta.url));

test('every built file is served with a type, and cached for a year', async () => {
  const { origin } = await openWeb({ DATABASE_URL: 'postgres://127.0.0.1:1/none' });
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile() && !/\.(?:br|gz)$/.test(entry.name))
    .map(({ parentPath, name }) => `${parentPath}/${name}`.replace(/\/+/g, '/').slice(folder.length));

  expect(names.length).toBeGreaterThan(100);
  for (const name of names) {
    const { status, header } = await requestRaw(`${origin}${assetsPrefix}${name}`, { method: 'HEAD' });
    expect([name, status, header('content-type')]).toEqual([name, 200, expect.stringContaining('/')]);
    expect(header('cache-control')).toBe('public, max-age=31536000, immutable');
  }
});
