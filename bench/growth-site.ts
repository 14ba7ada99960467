import { readFile, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot, runCommand } from '../scripts/processes.ts';
import { readArticles } from '../shared/node/content/articles.ts';
import { articleCategories } from '../shared/content/article-categories.ts';
import type { Article } from '../shared/content/article.ts';
import { layOutThisVersion } from '../tests/stack/source.ts';
import type { AtEnd } from './run-part.ts';

/** A built copy of the project in a folder of its own, until the end. */
export interface SiteCopy {
  readonly articles: number;
  readonly entry: string;
  readonly buildSeconds: number;
  /** Of all that was built, in MiB. */
  readonly distMib: number;
}

const ARTICLES = join('shared', 'content', 'articles');
/** Words of a title and characters of an excerpt; the schema of articles has the limits. */
const TITLE_WORDS = 6;
const EXCERPT = 150;

/** A text of the site, from which others are made. */
interface Source {
  readonly article: Article;
  readonly text: string;
  /** Its words alone, without marks. */
  readonly words: readonly string[];
}

async function readSources(): Promise<Source[]> {
  return Promise.all(
    (await readArticles()).map(async (article) => {
      const file = await readFile(join(projectRoot, ARTICLES, `${article.slug}.mdx`), 'utf8');
      const text = file.slice(file.indexOf('\n---\n', 4) + 5);
      const words = text.match(/(?<![<\w/])[A-Za-z’]+/g) ?? [];

      return { article, text, words };
    }),
  );
}

/** Words from one place of a text, to a number of characters. */
function cutWords(words: readonly string[], from: number, length: number): string {
  let cut = '';
  for (let place = from; cut.length < length; place += 1) {
    cut += `${cut === '' ? '' : ' '}${words[place % words.length] ?? ''}`;
  }

  return cut.slice(0, length).trim();
}

/** An article with a text of the site, and a title and an excerpt of their own. */
function writeArticle({ article, text, words }: Source, number: number): [string, string] {
  const start = (number * 37) % words.length;
  const title = words.slice(start, start + TITLE_WORDS).join(' ').slice(0, 55);
  const slug = `${title.toLowerCase().replaceAll(/[^a-z]+/g, '-')}-${number}`;
  const fields = {
    ...article,
    slug: undefined,
    title: `${title} ${number}`,
    excerpt: cutWords(words, start + TITLE_WORDS, EXCERPT),
    category: articleCategories[number % articleCategories.length],
    date: new Date(Date.UTC(2023, 0, number)).toISOString().slice(0, 10),
    isFeatured: false,
  };
  const lines = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`);

  return [slug, `---\n${lines.join('\n')}\n---\n${text}`];
}

async function addArticles(folder: string, wanted: number): Promise<void> {
  const sources = await readSources();
  for (let number = sources.length + 1; number <= wanted; number += 1) {
    const source = sources[number % sources.length];
    if (!source) throw new Error('There is no article to make others from.');
    const [slug, text] = writeArticle(source, number);
    await writeFile(join(folder, ARTICLES, `${slug}.mdx`), text);
  }
}

async function measureFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );

  return sizes.reduce((sum, size) => sum + size, 0);
}

/**
 * Copies the project, adds articles made from those it has, and builds it. Resized pictures come
 * from the cache beside the packages, which copies share.
 * @param articles how many it has in the end; the project's own when there are no more
 * @throws when it can't be built
 */
export async function buildSiteCopy(articles: number, atEnd: AtEnd): Promise<SiteCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-site-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  await layOutThisVersion(folder);
  await symlink(join(projectRoot, 'node_modules'), join(folder, 'node_modules'));
  await addArticles(folder, articles);
  const startedAt = performance.now();
  const exitCode = await runCommand(process.execPath, [join(folder, 'scripts', 'build.ts')]);
  if (exitCode !== 0) throw new Error(`The copy with ${articles} articles was not built.`);
  const buildSeconds = (performance.now() - startedAt) / 1000;
  const distMib = (await measureFolder(join(folder, 'dist'))) / 2 ** 20;

  return { articles, entry: join(folder, 'server', 'main.ts'), buildSeconds, distMib };
}
