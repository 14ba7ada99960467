import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withFolderIn } from './fetch-backup.ts';

let parent: string;

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'fetch-backup-'));
});

afterEach(() => {
  rmSync(parent, { recursive: true });
});

test('concurrent fetches get a folder each and remove it', async () => {
  const fetchAgainAndAgain = async () => {
    const folders: string[] = [];
    for (let count = 0; count < 5; count += 1) {
      folders.push(await withFolderIn(parent, (folder) => Promise.resolve(folder)));
    }
    return folders;
  };

  const folders = await Promise.all(Array.from({ length: 40 }, fetchAgainAndAgain));

  expect(new Set(folders.flat()).size).toBe(200);
  expect(readdirSync(parent)).toEqual([]);
});

test('a folder older than a day is removed, a younger one may be in use', async () => {
  const [old, young] = [join(parent, '.fetched-old'), join(parent, '.fetched-young')];
  for (const folder of [old, young]) mkdirSync(folder);
  const before = new Date(Date.now() - 25 * 3_600_000);
  utimesSync(old, before, before);

  await withFolderIn(parent, () => Promise.resolve());

  expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
});
