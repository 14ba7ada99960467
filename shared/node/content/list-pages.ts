import { articles } from '#content/articles';
import { legalPages } from '#content/legal-pages';
import { solutionPages } from '#content/solution-pages';
import { getArticleMeta } from '../../content/article.ts';
import { readPageMeta, type PageMeta } from '../../content/page-meta.ts';
import { makeStaticPageMeta } from '../../content/static-pages.ts';
import { pathTo, routePatterns } from '../../paths.ts';
import type { Site } from '../../site.ts';

export type PageKind = 'home' | 'solution' | 'listing' | 'article' | 'page' | 'legal';

export interface Page {
  readonly path: string;
  readonly kind: PageKind;
  readonly meta: PageMeta;
  /** The picture's name. Only set for articles. */
  readonly picture?: string;
}

/** The path for each text in `legal/`, by file name. */
const legalPaths: Readonly<Record<string, string>> = {
  'privacy-policy': routePatterns.privacyPolicy,
  'terms-of-service': routePatterns.termsOfService,
  accessibility: routePatterns.accessibility,
  imprint: routePatterns.imprint,
};

/** Returns every public page with its metadata. Includes hidden pages. */
export function listPages(site: Site): readonly Page[] {
  const { home, insights, about, contact, videoTest } = makeStaticPageMeta(site);

  return [
    { path: routePatterns.home, kind: 'home', meta: home },
    ...Object.entries(solutionPages).map(
      ([slug, page]): Page => ({ path: pathTo.solution(slug), kind: 'solution', meta: readPageMeta(page) }),
    ),
    { path: routePatterns.insights, kind: 'listing', meta: insights },
    ...articles.map(
      (article): Page => ({
        path: pathTo.article(article.slug),
        kind: 'article',
        meta: getArticleMeta(article),
        picture: article.picture,
      }),
    ),
    { path: routePatterns.about, kind: 'page', meta: about },
    { path: routePatterns.contact, kind: 'page', meta: contact },
    ...Object.entries(legalPaths).flatMap(([name, path]): Page[] => {
      const found = legalPages.find(({ slug }) => slug === name);

      return found ? [{ path, kind: 'legal', meta: found }] : [];
    }),
    { path: routePatterns.videoTest, kind: 'page', meta: videoTest },
  ];
}
