import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import { readArticles } from '../shared/node/content/articles.ts';
import { listPages } from '../shared/node/content/list-pages.ts';
import { pathTo } from '../shared/paths.ts';
import { buildSharingPictures } from './sharing-pictures.ts';

async function buildIntoNewFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'test-sharing-'));
  onTestFinished(() => rm(folder, { recursive: true }));

  return { folder, files: await buildSharingPictures(folder) };
}

test(
  'every listed page gets a picture of its own, of the size sharing services ask for',
  { timeout: 30_000 },
  async () => {
    const { folder, files } = await buildIntoNewFolder();

    const pages = await listPages({ name: '', legalEntity: '', legalEmail: '', publicUrl: '' });
    expect(Object.keys(files)).toEqual(
      pages.filter(({ meta }) => !meta.isHidden).map(({ path }) => path),
    );
    expect((await readdir(folder)).sort()).toEqual(Object.values(files).sort());
    expect(new Set(Object.values(files)).size).toBe(Object.keys(files).length);
    for (const name of Object.values(files)) {
      expect(name).toMatch(/^sharing-[a-z0-9-]+-[0-9a-f]{8}\.jpg$/);
      expect(await sharp(await readFile(join(folder, name))).metadata()).toMatchObject({
        format: 'jpeg',
        width: 1200,
        height: 630,
      });
    }
  },
);

test('an article is shared with its own picture', { timeout: 30_000 }, async () => {
  const { folder, files } = await buildIntoNewFolder();
  // The right edge, which the scrim leaves as it is.
  const readEdge = async (input: string) => {
    const edge = await sharp(input)
      .resize({ width: 1200, height: 630, fit: 'cover' })
      .extract({ left: 1100, top: 0, width: 100, height: 630 })
      .png()
      .toBuffer();
    const { channels } = await sharp(edge).stats();

    return channels.slice(0, 3).map(({ mean }) => mean);
  };
  const compare = async (path: string, original: string) => {
    const [shared, own] = await Promise.all([
      readEdge(join(folder, String(files[path]))),
      readEdge(join('client/assets/pictures', original)),
    ]);

    return Math.max(...shared.map((mean, channel) => Math.abs(mean - (own[channel] ?? NaN))));
  };

  for (const { slug, picture } of await readArticles()) {
    expect(await compare(pathTo.article(slug), `articles/${picture}.jpg`)).toBeLessThan(3);
  }
  expect(await compare('/about', 'og-base.png')).toBeLessThan(3);
});

test('the same pages give the same names and bytes', { timeout: 30_000 }, async () => {
  const first = await buildIntoNewFolder();
  const second = await buildIntoNewFolder();

  expect(second.files).toEqual(first.files);
  for (const name of Object.values(first.files)) {
    const [one, other] = await Promise.all(
      [first.folder, second.folder].map((folder) => readFile(join(folder, name))),
    );
    expect([name, other?.equals(one ?? Buffer.alloc(0))]).toEqual([name, true]);
  }
});
