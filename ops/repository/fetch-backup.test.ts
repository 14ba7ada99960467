import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { withTemporaryFolder } from './fetch-backup.ts';

test('a fetch removes its own folder and folders older than a day, because newer ones may be in use', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'fetch-backup-'));
  onTestFinished(() => rmSync(parent, { recursive: true }));
  const [old, young] = [join(parent, '.fetched-old'), join(parent, '.fetched-young')];
  for (const folder of [old, young]) mkdirSync(folder);
  const before = new Date(Date.now() - 25 * 3_600_000);
  utimesSync(old, before, before);

  await withTemporaryFolder(parent, () => Promise.resolve());

  expect(readdirSync(parent)).toEqual(['.fetched-young']);
});
