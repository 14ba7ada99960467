import { readdir, readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { assetsPrefix } from '../../shared/paths.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { openWebServer, type OpenWeb } from '../support/open-site.ts';
import { requestRaw } from '../support/raw-http.ts';

const folder = fileURLToPath(new URL('../../dist/client/assets/', import.meta.url));
let web: OpenWeb;
/** Names of the built files, without their compressed forms. */
let names: string[];
let video: { readonly path: string; readonly bytes: Buffer };

beforeAll(async () => {
  web = await openWebServer({ DATABASE_URL: await createMigratedDatabase() });
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  names = entries
    .filter((entry) => entry.isFile() && !/\.(?:br|gz)$/.test(entry.name))
    .map(({ parentPath, name }) => `${parentPath}/${name}`.replace(/\/+/g, '/').slice(folder.length));
  const name = names.find((each) => each.endsWith('.mp4')) ?? '';
  video = { path: assetsPrefix + name, bytes: await readFile(folder + name) };

  return async () => {
    await web.stop();
  };
});

test('every built file is served with a type, and cached for a year', async () => {
  expect(names.length).toBeGreaterThan(100);
  for (const name of names) {
    const { status, header } = await requestRaw(`${web.origin}${assetsPrefix}${name}`, { method: 'HEAD' });
    expect([name, status, header('content-type')]).toEqual([name, 200, expect.stringContaining('/')]);
    expect(header('cache-control')).toBe('public, max-age=31536000, immutable');
  }
});

test.each([
  ['br', '.br'],
  ['gzip', '.gz'],
  ['identity', ''],
])('a client that takes %s gets the script that the build made for it', async (encoding, end) => {
  const script = names.find((name) => name.endsWith('.js')) ?? '';
  const { header } = await requestRaw(`${web.origin}${assetsPrefix}${script}`, { headers: { 'accept-encoding': encoding } });

  expect(header('content-encoding') ?? 'identity').toBe(encoding);
  expect(header('vary')).toContain('accept-encoding');
  expect(Number(header('content-length'))).toBe((await stat(folder + script + end)).size);
});

test('a video comes in the part a browser asks for', async () => {
  const response = await fetch(web.origin + video.path, { headers: { range: 'bytes=1000000-' } });

  expect(response.status).toBe(206);
  expect(response.headers.get('content-range')).toBe(`bytes 1000000-${video.bytes.length - 1}/${video.bytes.length}`);
  expect(Buffer.from(await response.arrayBuffer()).equals(video.bytes.subarray(1_000_000))).toBe(true);
});
