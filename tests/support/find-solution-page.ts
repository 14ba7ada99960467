import { solutionPages } from '#content/solution-pages';
import type { SolutionPage } from '../../shared/content/solution-schema.ts';

/** What the content says of a solution's page. @throws where there is no such solution */
export function findSolutionPage(slug: string): SolutionPage {
  const page = solutionPages[slug];
  if (!page) throw new Error(`There is no solution ${slug}.`);

  return page;
}
