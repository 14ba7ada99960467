import { renderToStaticMarkup, renderToString } from 'react-dom/server';
import { StaticRouter } from 'react-router-dom';
import { dangerouslySkipEscape } from 'vite-plugin-ssr/server';
import { App } from '../app/app.tsx';
import { PAGE_DATA_ID, serializePageData } from '../app/page-data.ts';
import { getAccentClass } from '../../shared/accents/accents.ts';
import type { RenderInput } from '../../shared/rendering.ts';
import { loadScreen, matchScreen, notFoundScreen } from '../app/screen-registry.ts';
import { DocumentHead } from './document-head.tsx';

interface PageAsset {
  inject: false | 'HTML_BEGIN' | 'HTML_END';
}

/** The document names its files itself, in the order the first view needs them. */
function injectNothing(assets: PageAsset[]): void {
  for (const asset of assets) asset.inject = false;
}

export interface RenderedDocument {
  readonly documentHtml: ReturnType<typeof dangerouslySkipEscape>;
  readonly injectFilter: (assets: PageAsset[]) => void;
}

/** Renders the document of one page. */
export async function renderDocument({
  location,
  state,
  assets,
}: RenderInput): Promise<RenderedDocument> {
  const pathname = location.split('?', 1)[0] ?? location;
  const screen = state.isNotFound ? notFoundScreen : matchScreen(pathname);
  const { file, params } = screen;
  const { getMeta, getHeroPicture, getServedData } = await loadScreen(screen);
  const meta = getMeta(state.site, params);
  if (!meta) throw new Error(`No page for ${pathname}: the server should have responded with 404.`);

  const body = renderToString(
    <StaticRouter location={location}>
      <App state={state} />
    </StaticRouter>,
  );
  const head = renderToStaticMarkup(
    <DocumentHead
      meta={meta}
      site={state.site}
      canonicalPath={state.isNotFound || meta.isHidden ? undefined : pathname}
      heroPicture={getHeroPicture?.(params)}
      criticalStyles={assets.pickCriticalStyles?.(body)}
      assets={assets}
    />,
  );
  const styleSheet =
    assets.styleSheet === undefined
      ? ''
      : renderToStaticMarkup(
          <link
            rel="stylesheet"
            href={assets.styleSheet.url}
            integrity={assets.styleSheet.integrity}
            fetchPriority="low"
          />,
        );
  const startScript = renderToStaticMarkup(
    <script
      type="module"
      src={assets.startScript.url}
      integrity={assets.startScript.integrity}
      fetchPriority="low"
    />,
  );
  const screenData = getServedData?.(params);
  const data = serializePageData({ state, scripts: assets.findScreenScripts(file), screenData });

  // Every part is escaped: by React, and the data by their serializer.
  const html = `<!doctype html>
<html lang="en" class="${getAccentClass('green')}">
  <head>${head}</head>
  <body><div id="root">${body}</div>
    ${styleSheet}
    <script type="application/json" id="${PAGE_DATA_ID}">${data}</script>
    ${startScript}
  </body>
</html>`;

  return { documentHtml: dangerouslySkipEscape(html), injectFilter: injectNothing };
}
