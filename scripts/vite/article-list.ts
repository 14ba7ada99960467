import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import { articlesFolder, readArticles } from '../../shared/node/content/articles.ts';

const MODULE = 'virtual:article-list';
const RESOLVED = `\0${MODULE}`;

/**
 * Gives `virtual:article-list`, whose export `articleList` has slug and title of every article, the
 * newest first. A wrong front matter ends the build with its message.
 */
export function articleList(): Plugin {
  return {
    name: 'article-list',
    resolveId: (id) => (id === MODULE ? RESOLVED : undefined),
    async load(id) {
      if (id !== RESOLVED) return undefined;
      const articles = await readArticles();
      for (const { slug } of articles) {
        this.addWatchFile(fileURLToPath(new URL(`${slug}.mdx`, articlesFolder)));
      }
      const entries = articles.map(({ slug, title }) => ({ slug, title }));

      return `export const articleList = ${JSON.stringify(entries)};`;
    },
  };
}
