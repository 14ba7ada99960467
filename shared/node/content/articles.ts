import { readdir } from 'node:fs/promises';
import type { Article } from '../../content/article.ts';
import { articleFrontMatterSchema } from '../../content/front-matter.ts';
import { readFrontMatter } from './front-matter.ts';

/** The folder with one file per article, named by its slug. */
export const articlesFolder = new URL('../../content/articles/', import.meta.url);

const EXTENSION = '.mdx';

/**
 * The articles, the newest first.
 * @throws FrontMatterError when the front matter of one of them is wrong
 */
export async function readArticles(): Promise<readonly Article[]> {
  const files = (await readdir(articlesFolder)).filter((file) => file.endsWith(EXTENSION));
  const articles = await Promise.all(
    files.map(async (file) => ({
      slug: file.slice(0, -EXTENSION.length),
      ...(await readFrontMatter(new URL(file, articlesFolder), articleFrontMatterSchema)),
    })),
  );

  return articles.sort((one, other) => other.date.localeCompare(one.date));
}
