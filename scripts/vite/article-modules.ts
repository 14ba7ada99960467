import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';
import type { Article } from '../../shared/content/article.ts';
import { articlesFolder, readArticles } from '../../shared/node/content/articles.ts';

const MODULE = 'virtual:articles';
const LINKS_MODULE = 'virtual:article-links';
const RESOLVED = `\0${MODULE}`;
const RESOLVED_LINKS = `\0${LINKS_MODULE}`;

/** Where the originals of the pictures are. */
const picturesFolder = new URL('../../client/assets/pictures/articles/', import.meta.url);

const getTextFile = (slug: string): string =>
  fileURLToPath(new URL(`${slug}.mdx`, articlesFolder));

/** The module that knows how to fetch each article. */
function writeLoaders(articles: readonly Article[]): string {
  const entries = articles.map(({ slug }) => `["${slug}",()=>import("${MODULE}/${slug}")]`);

  return `export const articleLoaders = new Map([${entries.join(',')}]);`;
}

const pickLink = (article: Article | undefined) =>
  article && { slug: article.slug, title: article.title };

/** The module that only names them; apart, so that who needs no more gets no more. */
const writeLinks = (articles: readonly Article[]): string =>
  `export const articleLinks = ${JSON.stringify(articles.map(pickLink))};`;

/** The module of one article: its text, and what is shown around it. */
function writeArticle(articles: readonly Article[], slug: string): string {
  const index = articles.findIndex((article) => article.slug === slug);
  const article = articles[index];
  if (!article) throw new Error(`There is no article ${slug}.`);
  const picture = fileURLToPath(new URL(`${article.picture}.jpg`, picturesFolder));
  const neighbors = { previous: pickLink(articles[index - 1]), next: pickLink(articles[index + 1]) };

  return `import pictureFile from ${JSON.stringify(`${picture}?article`)};
export { default, tableOfContents } from ${JSON.stringify(getTextFile(slug))};
export const frame = {article:{...${JSON.stringify(article)},pictureFile},...${JSON.stringify(neighbors)}};`;
}

/**
 * Gives `virtual:articles`, whose export `articleLoaders` fetches an article by its slug: its text,
 * what is shown above it with the files of its picture, and the links to the articles before and after
 * it, from the newest to the oldest. `virtual:article-links` gives the link to each. Invalid front matter fails the
 * build with its message.
 */
export function articleModules(): Plugin {
  // Read once for all modules of a build, however many articles there are.
  let articlesRead: ReturnType<typeof readArticles> | undefined;
  const invalidate = () => void (articlesRead = undefined);

  return {
    name: 'article-modules',
    buildStart: invalidate,
    watchChange: invalidate,
    resolveId: (id) =>
      id === MODULE || id === LINKS_MODULE || id.startsWith(`${MODULE}/`) ? `\0${id}` : undefined,
    async load(id) {
      if (!id.startsWith(RESOLVED) && id !== RESOLVED_LINKS) return undefined;
      const articles = await (articlesRead ??= readArticles());
      for (const { slug } of articles) this.addWatchFile(getTextFile(slug));
      if (id === RESOLVED_LINKS) return writeLinks(articles);

      return id === RESOLVED ? writeLoaders(articles) : writeArticle(articles, id.slice(RESOLVED.length + 1));
    },
  };
}

/** As much of a Markdown syntax tree (https://github.com/syntax-tree/mdast) as is read here. */
interface Block {
  readonly type: string;
  /** Of a heading. */
  readonly depth?: number;
  /** Of a component. */
  readonly attributes?: { readonly type: string; readonly name: string; readonly value: unknown }[];
}

/**
 * A remark plugin: passes each component with a title the level of that title as a heading, one below
 * the heading the component stands under.
 */
export function passTitleLevels() {
  return ({ children }: { readonly children: readonly Block[] }): void => {
    let level = 1;
    for (const { type, depth, attributes } of children) {
      if (type === 'heading' && depth !== undefined) level = depth;
      if (type !== 'mdxJsxFlowElement' || !attributes?.some(({ name }) => name === 'title')) continue;
      attributes.push({ type: 'mdxJsxAttribute', name: 'level', value: String(level + 1) });
    }
  };
}
