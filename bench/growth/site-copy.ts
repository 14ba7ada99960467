import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot, runCommand } from '../../scripts/processes.ts';
import { layOutThisVersion } from '../../tests/stack/source.ts';
import type { OnCleanup } from '../harness/benchmark.ts';

/** A build of the site in a folder of its own. */
export interface SiteCopy {
  readonly articles: number;
  readonly entry: string;
  readonly buildSeconds: number;
  readonly distMib: number;
}

const ARTICLES = join('shared', 'content', 'articles');

/** Words of a title, and characters of an excerpt; the articles' schema has the limits. */
const TITLE_WORDS = 5;
const EXCERPT_LENGTH = 150;

/** A copy of an article with a title, an excerpt and a date of its own. @returns its slug and its file's text */
function makeArticle(source: string, number: number): [string, string] {
  const bodyAt = source.indexOf('\n---\n', 4);
  const words = source.slice(bodyAt).match(/(?<![<\w/])[A-Za-z’]+/g) ?? [];
  const start = (number * 37) % (words.length - 100);
  const title = words.slice(start, start + TITLE_WORDS).join(' ').slice(0, 50);
  const excerpt = words.slice(start + TITLE_WORDS, start + 60).join(' ').slice(0, EXCERPT_LENGTH).trim();
  const changes: Readonly<Record<string, string>> = {
    title: JSON.stringify(`${title} ${number}`),
    excerpt: JSON.stringify(excerpt),
    date: JSON.stringify(new Date(Date.UTC(2023, 0, number)).toISOString().slice(0, 10)),
    isFeatured: 'false',
  };
  const head = source
    .slice(0, bodyAt)
    .replaceAll(/^(\w+): .*$/gm, (line, name: string) => (changes[name] ? `${name}: ${changes[name]}` : line));

  return [`${title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}-${number}`, head + source.slice(bodyAt)];
}

/** Adds copies of the articles until there are as many as wanted. */
async function addArticles(folder: string, wanted: number): Promise<void> {
  const files = await readdir(folder);
  for (let number = files.length + 1; number <= wanted; number += 1) {
    const source = await readFile(join(folder, files[number % files.length] ?? ''), 'utf8');
    const [slug, text] = makeArticle(source, number);
    await writeFile(join(folder, `${slug}.mdx`), text);
  }
}

async function measureFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );

  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * Copies the project, adds articles and builds it. Copies share the packages, and the cache of resized
 * pictures beside them.
 * @param articles how many it has; the project's own when that is no more
 * @throws when the build fails
 */
export async function buildSite(articles: number, onCleanup: OnCleanup): Promise<SiteCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-site-'));
  onCleanup(() => rm(folder, { recursive: true, force: true }));
  await layOutThisVersion(folder);
  await symlink(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  await addArticles(join(folder, ARTICLES), articles);
  const startedAt = performance.now();
  const exitCode = await runCommand(process.execPath, [join(folder, 'scripts', 'build.ts')]);
  if (exitCode !== 0) throw new Error(`The site with ${articles} articles was not built.`);
  const buildSeconds = (performance.now() - startedAt) / 1000;
  const distMib = (await measureFolder(join(folder, 'dist'))) / 2 ** 20;

  return { articles, entry: join(folder, 'server', 'main.ts'), buildSeconds, distMib };
}
