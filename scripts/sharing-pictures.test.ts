import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import { listPages } from '../shared/node/content/list-pages.ts';
import { buildSharingPictures } from './sharing-pictures.ts';

/** In bytes. Some messengers ignore larger pictures. */
const MAX_BYTES = 300_000;
/** Maximum length of alternative text on X, in characters. */
const MAX_ALTERNATIVE = 420;

// Drawing can take many seconds on a busy machine.
test('every listed page gets its own picture in a size and format that sharing services accept', { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'test-sharing-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const files = await buildSharingPictures(folder);

  const pages = listPages({ name: '', legalEntity: '', legalEmail: '', publicUrl: '' });
  expect(Object.keys(files)).toEqual(
    pages.filter(({ meta }) => !meta.isHidden).map(({ path }) => path),
  );
  expect((await readdir(folder)).sort()).toEqual(Object.values(files).sort());
  expect(new Set(Object.values(files)).size).toBe(Object.keys(files).length);
  for (const name of Object.values(files)) {
    expect(name).toMatch(/^sharing-[a-z0-9-]+-[0-9a-f]{8}\.jpg$/);
    const picture = await readFile(join(folder, name));
    expect(await sharp(picture).metadata()).toMatchObject({ format: 'jpeg', width: 1200, height: 630 });
    expect(picture.length, name).toBeLessThanOrEqual(MAX_BYTES);
  }
  // The alternative text is the title, which the picture shows.
  for (const { path, meta } of pages) {
    expect(meta.title.length, path).toBeLessThanOrEqual(MAX_ALTERNATIVE);
    expect(meta.title.trim(), path).not.toBe('');
  }
});
