import { pathTo, routePatterns } from '../paths.ts';
import { articles } from './articles.ts';
import { solutions } from './solutions.ts';

/**
 * Every public path that answers with a page of its own. For the server only: it names the
 * articles, which no chunk of the gated listing may.
 */
export function listPagePaths(): readonly string[] {
  return [
    routePatterns.home,
    ...solutions.map(({ slug }) => pathTo.solution(slug)),
    routePatterns.insights,
    ...articles.map(({ slug }) => pathTo.article(slug)),
    routePatterns.about,
    routePatterns.contact,
    routePatterns.privacyPolicy,
    routePatterns.termsOfService,
    routePatterns.videoTest,
  ];
}
