import { readdir, readFile, readlink } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { assetsPrefix } from '../../shared/paths.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { openWebServer, type OpenWeb } from '../support/open-site.ts';
import { openConnection, requestRaw } from '../support/raw-http.ts';

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

const get = async (headers: Record<string, string>) => {
  const response = await fetch(web.origin + video.path, { headers });

  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
};

test('every built file is served with a type', async () => {
  expect(names.length).toBeGreaterThan(100);
  for (const name of names) {
    const { status, header } = await requestRaw(`${web.origin}${assetsPrefix}${name}`, { method: 'HEAD' });
    expect([name, status, header('content-type')]).toEqual([name, 200, expect.stringContaining('/')]);
  }
});

test('a video comes whole, or in the part a browser asks for', async () => {
  const whole = await get({});
  const size = video.bytes.length;
  expect([whole.response.headers.get('content-type'), whole.response.headers.get('accept-ranges')]).toEqual([
    'video/mp4',
    'bytes',
  ]);
  expect(whole.bytes.equals(video.bytes)).toBe(true);

  for (const [range, start, end] of [
    ['bytes=0-', 0, size],
    ['bytes=0-1', 0, 2],
    ['bytes=1000000-', 1_000_000, size],
    [`bytes=5-${'9'.repeat(400)}`, 5, size],
    ['bytes=-100', size - 100, size],
    [`bytes=-${size * 2}`, 0, size],
  ] as const) {
    const { response, bytes } = await get({ range });
    expect([range, response.status, response.headers.get('content-range')]).toEqual([
      range,
      206,
      `bytes ${start}-${end - 1}/${size}`,
    ]);
    expect(bytes.equals(video.bytes.subarray(start, end))).toBe(true);
  }
});

test('what is no range gets the whole file, a part there is none of an error with its length, that no cache keeps', async () => {
  for (const range of ['bytes=5-2', 'bytes=0-1,4-5', 'lines=0-1', 'bytes=-', 'bytes=0x1-']) {
    const { response, bytes } = await get({ range });
    expect([range, response.status, bytes.length]).toEqual([range, 200, video.bytes.length]);
  }
  for (const range of [`bytes=${video.bytes.length}-`, 'bytes=-0']) {
    const { response } = await get({ range });
    const { headers } = response;
    expect([range, response.status, headers.get('cache-control'), headers.get('content-range')]).toEqual([
      ...[range, 416, 'no-store', `bytes */${video.bytes.length}`],
    ]);
  }
});

test('who asks for no content is told of the whole file, whatever part is named', async () => {
  for (const range of ['bytes=0-1', `bytes=${video.bytes.length}-`]) {
    const { status, header } = await requestRaw(web.origin + video.path, { method: 'HEAD', headers: { range } });
    expect([range, status, header('content-length')]).toEqual([range, 200, String(video.bytes.length)]);
  }
});

test('whoever has a part of another file gets the whole', async () => {
  const { response } = await get({});
  const tag = String(response.headers.get('etag'));

  expect((await get({ range: 'bytes=0-1', 'if-range': tag })).response.status).toBe(206);
  expect((await get({ range: 'bytes=0-1', 'if-range': '"another"' })).response.status).toBe(200);
  expect((await get({ range: 'bytes=0-1', 'if-none-match': tag })).response.status).toBe(304);
});

/** How many files of the build this process, in which web runs, has open. */
async function countOpenFiles(): Promise<number> {
  const links = await Promise.all(
    (await readdir('/proc/self/fd')).map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')),
  );

  return links.filter((link) => link.startsWith(folder)).length;
}

test.each([
  ['of the whole', ''],
  ['of a part', 'range: bytes=0-\r\n'],
])('downloads %s that nobody reads share the bytes of the file, and hold none open', async (_what, header) => {
  await get({});
  const before = process.memoryUsage();
  const download = `GET ${video.path} HTTP/1.1\r\nhost: localhost\r\n${header}\r\n`;
  const count = 400;
  const connection = await openConnection(web.origin);
  connection.pause();
  connection.send(download.repeat(count));
  // Answered in their order by the one process there is: those before have begun.
  await fetch(`${web.origin}/health/live`);
  await fetch(`${web.origin}/health/live`);

  expect(await countOpenFiles()).toBe(0);
  expect(process.memoryUsage().arrayBuffers - before.arrayBuffers).toBeLessThan(10 * 1024 * 1024);
});
