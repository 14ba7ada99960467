import { getArticleMeta, type Article } from '../../content/article.ts';
import { legalFrontMatterSchema } from '../../content/front-matter.ts';
import type { PageMeta } from '../../content/page-meta.ts';
import { getSolutionMeta } from '../../content/solution-pages/solution-page.ts';
import { solutionPages } from '../../content/solution-pages/solution-pages.ts';
import { solutions } from '../../content/solutions.ts';
import { makeStaticPageMeta } from '../../content/static-pages.ts';
import { pathTo, routePatterns } from '../../paths.ts';
import type { Site } from '../../site.ts';
import { readArticles } from './articles.ts';
import { readFrontMatter } from './front-matter.ts';

export type PageKind = 'home' | 'solution' | 'listing' | 'article' | 'page' | 'legal';

/** A public page as sitemap, sharing pictures and the like know it. */
export interface Page {
  readonly path: string;
  readonly kind: PageKind;
  readonly meta: PageMeta;
  /** Of an article: the name of its own picture. */
  readonly picture?: string;
}

const legalFolder = new URL('../../content/legal/', import.meta.url);

const legalFiles = [
  { path: routePatterns.privacyPolicy, name: 'privacy-policy.mdx' },
  { path: routePatterns.termsOfService, name: 'terms-of-service.mdx' },
  { path: routePatterns.accessibility, name: 'accessibility.mdx' },
] as const;

function listSolutionPages(): Page[] {
  return solutions.map(({ slug }) => ({
    path: pathTo.solution(slug),
    kind: 'solution',
    meta: getSolutionMeta(solutionPages[slug]),
  }));
}

function listArticlePages(articles: readonly Article[]): Page[] {
  return articles.map((article) => ({
    path: pathTo.article(article.slug),
    kind: 'article',
    meta: getArticleMeta(article),
    picture: article.picture,
  }));
}

function readLegalPages(): Promise<Page[]> {
  return Promise.all(
    legalFiles.map(async ({ path, name }): Promise<Page> => {
      const meta = await readFrontMatter(new URL(name, legalFolder), legalFrontMatterSchema);

      return { path, kind: 'legal', meta };
    }),
  );
}

/**
 * Every public path that responds with a page of its own, with its meta data; hidden ones are
 * marked.
 * @param site gives its name to the descriptions that mention it
 * @throws FrontMatterError when the front matter of an article or a legal page is wrong
 */
export async function listPages(site: Site): Promise<readonly Page[]> {
  const { home, insights, about, contact, videoTest } = makeStaticPageMeta(site);

  return [
    { path: routePatterns.home, kind: 'home', meta: home },
    ...listSolutionPages(),
    { path: routePatterns.insights, kind: 'listing', meta: insights },
    ...listArticlePages(await readArticles()),
    { path: routePatterns.about, kind: 'page', meta: about },
    { path: routePatterns.contact, kind: 'page', meta: contact },
    ...(await readLegalPages()),
    { path: routePatterns.videoTest, kind: 'page', meta: videoTest },
  ];
}
