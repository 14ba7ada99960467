import { articles } from '#content/articles';
import { readBuiltAssets } from '../server/ssr/document-assets.ts';
import { loadBuiltPages, logConsoleWarnings, type RenderDocument } from '../server/ssr/render-document.ts';
import { toListedArticle } from '../shared/content/article.ts';
import { listPages } from '../shared/node/content/list-pages.ts';
import type { PageState } from '../shared/page-state.ts';
import { routePatterns } from '../shared/paths.ts';
import type { Site } from '../shared/site.ts';

const site: Site = {
  name: 'Example',
  legalEntity: 'Example',
  legalEmail: 'legal@example.com',
  publicUrl: 'https://www.example.com',
};

function listStates(): ReadonlyArray<readonly [location: string, state: Partial<PageState>]> {
  const listed = articles.map(toListedArticle);
  const pages = listPages(site).filter(({ path }) => path !== routePatterns.insights);

  return [
    ...pages.map(({ path }) => [path, {}] as const),
    [routePatterns.insights, { insights: { isGated: true } }],
    [routePatterns.insights, { insights: { isGated: true, articles: listed } }],
    ['/not-found', { isNotFound: true }],
  ];
}

/** Renders every public page. @throws RenderError for the first page that fails */
async function renderEveryPage(renderDocument: RenderDocument): Promise<void> {
  for (const [location, state] of listStates()) {
    await renderDocument(location, { site, isNotFound: false, ...state });
  }
}

if (import.meta.main) {
  logConsoleWarnings(console.error);
  await renderEveryPage(await loadBuiltPages(await readBuiltAssets()));
}
