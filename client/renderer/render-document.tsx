import { renderToStaticMarkup, renderToString } from 'react-dom/server';
import { StaticRouter } from 'react-router-dom';
import { dangerouslySkipEscape } from 'vite-plugin-ssr/server';
import { App, type FrameMarkup } from '../app/app.tsx';
import { PAGE_DATA_ID, serializePageData } from '../app/page-data.ts';
import { PageStateProvider } from '../app/page-state.tsx';
import { FooterContent } from '../components/footer.tsx';
import { HeaderContent } from '../components/header.tsx';
import { getAccentClass } from '../../shared/accents/accents.ts';
import type { RenderInput } from '../../shared/document-assets.ts';
import { loadScreen, matchScreen, notFoundScreen } from '../app/screen-registry.ts';
import { DocumentHead } from './document-head.tsx';

interface PageAsset {
  inject: false | 'HTML_BEGIN' | 'HTML_END';
}

/** The document names its files itself, in the order the first view needs them. */
function injectNothing(assets: PageAsset[]): void {
  for (const asset of assets) asset.inject = false;
}

/**
 * Header and footer of the pages of a screen, which have the same place in the navigation; rendered once, as they
 * are half of a page's elements.
 */
const frames = new Map<string, FrameMarkup>();

function renderFrame({ location, state }: RenderInput, file: string): FrameMarkup {
  const key = `${file} ${state.site.name}`;
  const rendered = frames.get(key);
  if (rendered) return rendered;
  const [header, footer] = [<HeaderContent key="header" />, <FooterContent key="footer" />].map((content) =>
    renderToString(
      <StaticRouter location={location}>
        <PageStateProvider value={state}>{content}</PageStateProvider>
      </StaticRouter>,
    ),
  );
  const frame = { header, footer };
  frames.set(key, frame);

  return frame;
}

/**
 * Renders the document of one page. A built one names its files itself and goes to the server as it is: looking for
 * places to add files would take a quarter of a rendering. While developing, vite-plugin-ssr adds Vite's scripts.
 */
export async function renderDocument(input: RenderInput) {
  const { location, state, assets } = input;
  const pathname = location.split('?', 1)[0] ?? location;
  const screen = state.isNotFound ? notFoundScreen : matchScreen(pathname);
  const { file, params } = screen;
  const { getMeta, getHeroPicture, getServedData } = await loadScreen(screen);
  const meta = getMeta(state.site, params, state);
  if (!meta) throw new Error(`No page for ${pathname}: the server should have responded with 404.`);

  const body = renderToString(
    <StaticRouter location={location}>
      <App state={state} frame={renderFrame(input, file)} />
    </StaticRouter>,
  );
  const root = `<html lang="en" class="${getAccentClass('green')}">`;
  const head = renderToStaticMarkup(
    <DocumentHead
      meta={meta}
      site={state.site}
      canonicalPath={state.isNotFound || meta.isHidden ? undefined : pathname}
      heroPicture={getHeroPicture?.(params)}
      criticalStyles={assets.pickCriticalStyles?.(root + body)}
      assets={assets}
    />,
  );
  const { styleSheet, vignetteSheet } = assets;
  const styleSheets = [styleSheet, vignetteSheet?.isFor(body) ? vignetteSheet : undefined]
    .filter((sheet) => sheet !== undefined)
    .map(({ url, integrity }) =>
      renderToStaticMarkup(<link rel="stylesheet" href={url} integrity={integrity} fetchPriority="low" />),
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
  const data = serializePageData({
    state,
    scripts: assets.findScreenScripts(file),
    vignetteSheet: vignetteSheet?.url,
    screenData,
  });

  // Every part is escaped: by React, and the data by their serializer.
  const document = `<!doctype html>
${root}
  <head>${head}</head>
  <body><div id="root">${body}</div>
    ${styleSheets.join('')}
    <script type="application/json" id="${PAGE_DATA_ID}">${data}</script>
    ${startScript}
  </body>
</html>`;

  return import.meta.env.PROD
    ? { pageContext: { document } }
    : { documentHtml: dangerouslySkipEscape(document), injectFilter: injectNothing };
}
