import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isAheadOf, isUnbroken, listSegments } from './wal-files.ts';

const first = '0000000100000000000000FE';
const second = '0000000100000000000000FF';
const third = '000000010000000100000000';

test('segments are listed in their order, the one that is received like a complete one', () => {
  expect(listSegments([`${third}.partial`, 'system', first, '00000002.history', second, third])).toEqual([
    first,
    second,
    third,
  ]);
});

test('a missing segment is noticed, also where the log begins anew', () => {
  expect(isUnbroken([first, second, third])).toBe(true);
  expect(isUnbroken([first, third])).toBe(false);
  // Another timeline begins within a segment of the one before.
  expect(isUnbroken([first, second, '0000000200000000000000FF'])).toBe(true);
  expect(isUnbroken([])).toBe(true);
});

test.each([
  ['that goes on in the same segment', `${second}.partial`, '0/FF000148', false],
  ['that ends where the folder does', `${second}.partial`, '0/FF000100', false],
  ['that ends before what was received of a segment', `${second}.partial`, '0/FF0000FF', true],
  ['that ends in an earlier segment', `${second}.partial`, '0/FE000148', true],
  ['that has gone on to the next log', second, '1/148', false],
  ['that ends before the folder’s log begins', `${third}.partial`, '0/FF000148', true],
])('a folder is compared with the log of a server %s', async (_what, name, position, isAhead) => {
  const folder = await mkdtemp(join(tmpdir(), 'test-wal-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  expect(await isAheadOf(folder, position)).toBe(false);
  const received = Buffer.alloc(0x1000);
  received.fill(1, 0, 0x100);
  await writeFile(join(folder, first), received);
  await writeFile(join(folder, name), received);

  expect(await isAheadOf(folder, position)).toBe(isAhead);
});
