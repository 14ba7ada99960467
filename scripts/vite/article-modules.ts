import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import type { Article } from '../../shared/content/article.ts';
import { articlesFolder, readArticles } from '../../shared/node/content/articles.ts';

const MODULE = 'virtual:articles';
const RESOLVED = `\0${MODULE}`;

/** Where the originals of the pictures are. */
const picturesFolder = new URL('../../client/assets/pictures/articles/', import.meta.url);

const getTextFile = (slug: string): string =>
  fileURLToPath(new URL(`${slug}.mdx`, articlesFolder));

/** The module that knows how to fetch each article. */
function writeLoaders(articles: readonly Article[]): string {
  const entries = articles.map(({ slug }) => {
    const name = JSON.stringify(`${MODULE}/${slug}`);

    return `[${JSON.stringify(slug)},()=>import(${name})]`;
  });

  return `export const articleLoaders = new Map([${entries.join(',')}]);`;
}

const pickLink = (article: Article | undefined) =>
  article && { slug: article.slug, title: article.title };

/** The module of one article: its text, and what stands around it. */
function writeArticle(articles: readonly Article[], slug: string): string {
  const place = articles.findIndex((article) => article.slug === slug);
  const article = articles[place];
  if (!article) throw new Error(`There is no article ${slug}.`);
  const picture = fileURLToPath(new URL(`${article.picture}.jpg`, picturesFolder));
  const neighbours = { previous: pickLink(articles[place - 1]), next: pickLink(articles[place + 1]) };

  return `import pictureFile from ${JSON.stringify(`${picture}?article`)};
export { default, tableOfContents } from ${JSON.stringify(getTextFile(slug))};
export const frame = {article:{...${JSON.stringify(article)},pictureFile},...${JSON.stringify(neighbours)}};`;
}

/**
 * Gives `virtual:articles`, whose export `articleLoaders` fetches an article by its slug: its text,
 * what stands above it with the files of its picture, and the links to the articles before and after
 * it, from the newest to the oldest. A wrong front matter ends the build with its message.
 */
export function articleModules(): Plugin {
  // Read once for all modules of a build, however many articles there are.
  let reading: ReturnType<typeof readArticles> | undefined;
  const forget = () => {
    reading = undefined;
  };

  return {
    name: 'article-modules',
    buildStart: forget,
    watchChange: forget,
    resolveId: (id) => (id === MODULE || id.startsWith(`${MODULE}/`) ? `\0${id}` : undefined),
    async load(id) {
      if (!id.startsWith(RESOLVED)) return undefined;
      const articles = await (reading ??= readArticles());
      for (const { slug } of articles) this.addWatchFile(getTextFile(slug));

      return id === RESOLVED
        ? writeLoaders(articles)
        : writeArticle(articles, id.slice(RESOLVED.length + 1));
    },
  };
}
