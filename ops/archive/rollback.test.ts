import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { compareWithServer, countUpload } from './rollback.ts';

const complete = '0000000100000000000000FE';
const received = '0000000100000000000000FF.partial';
/** The first 256 bytes of the segment were received. */
const segment = Buffer.alloc(0x1000).fill(1, 0, 0x100);

async function makeLog(...names: readonly string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'test-log-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of names) await writeFile(join(folder, name), segment);

  return { name: 'a', systemId: '7', folder, walFolder: folder };
}

test.each([
  ['that has gone on', '0/FF000148', undefined],
  ['that ends where the folder does', '0/FF000100', undefined],
  ['that is far ahead', '1/148', undefined],
  ['that ends before what was received of a segment', '0/FF0000FF', 'server-set-back'],
  ['that ends in an earlier segment', '0/FE000148', 'server-set-back'],
])('a log is compared with a server %s', async (_what, position, reason) => {
  const log = await makeLog(complete, received);

  expect(await compareWithServer(log, { systemId: '7', timeline: 1, position })).toBe(reason);
});

test('a log goes on with its own server and timeline only, and one that has not begun with any timeline', async () => {
  const log = await makeLog(received);
  const server = { systemId: '7', timeline: 1, position: '0/FF000148' };

  expect(await compareWithServer(log, server)).toBeUndefined();
  expect(await compareWithServer(log, { ...server, systemId: '8' })).toBe('other-server');
  expect(await compareWithServer(log, { ...server, timeline: 2 })).toBe('server-set-back');
  expect(await compareWithServer(await makeLog(), { ...server, timeline: 2 })).toBeUndefined();
});

test('uploads are counted from one on', async () => {
  const log = await makeLog();
  expect([await countUpload(log), await countUpload(log), await countUpload(log)]).toEqual([1, 2, 3]);
});
