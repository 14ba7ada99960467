import { siteWords } from '#content/site-words';
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { prerender } from 'react-dom/static';
import { StaticRouter } from 'react-router-dom';
import { App, type FrameMarkup } from '../app/app.tsx';
import { PAGE_DATA_ID, serializePageData } from '../app/page-data.ts';
import { PageStateProvider } from '../app/page-state.tsx';
import { FooterContent } from '../components/footer.tsx';
import { HeaderContent } from '../components/header.tsx';
import { getAccentClass } from '../../shared/accents/accents.ts';
import type { RenderInput } from '../../shared/document-assets.ts';
import { loadScreen, matchScreen } from '../app/screen-registry.ts';
import { DocumentHead } from './document-head.tsx';

/**
 * Returns the HTML that React hydrates, or throws the first error. `renderToString` would leave a failed `Suspense`
 * boundary empty instead.
 */
async function renderMarkup(node: ReactNode): Promise<string> {
  const errors: unknown[] = [];
  const { prelude } = await prerender(node, {
    onError: (error) => void errors.push(error),
    // In bytes. React would move larger parts to the end of the document and insert them with a script.
    progressiveChunkSize: Infinity,
  });
  if (errors.length > 0) throw errors[0];

  // `new Response(prelude).text()` would load Node's entire HTTP client.
  const decoder = new TextDecoder();
  const reader = prelude.getReader();
  let markup = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    markup += decoder.decode(part.value, { stream: true });
  }

  return markup;
}

/**
 * Rendered headers and footers by screen and site name. They are the same on all pages of a screen and make up half of
 * a page's elements, so each is rendered once.
 */
const frames = new Map<string, FrameMarkup>();

async function renderFrame({ location, state }: RenderInput, file: string): Promise<FrameMarkup> {
  const key = `${file} ${state.site.name}`;
  const rendered = frames.get(key);
  if (rendered) return rendered;
  const [header, footer] = await Promise.all(
    [<HeaderContent key="header" />, <FooterContent key="footer" />].map((content) =>
      renderMarkup(
        <StaticRouter location={location}>
          <PageStateProvider value={state}>{content}</PageStateProvider>
        </StaticRouter>,
      ),
    ),
  );
  const frame = { header, footer };
  frames.set(key, frame);

  return frame;
}

/** Returns a page's HTML document. @throws the first error a component throws */
export async function renderDocument(input: RenderInput): Promise<string> {
  const { location, state, assets } = input;
  const pathname = location.split('?', 1)[0] ?? location;
  const { file, params } = matchScreen(pathname, state.isNotFound);
  const { load, Screen, getMeta, getHeroPicture } = await loadScreen(file);
  const screenData = await load?.(params);
  const meta = getMeta(state.site, state, screenData);

  const body = await renderMarkup(
    <StaticRouter location={location}>
      <App state={state} frame={await renderFrame(input, file)}>
        <Screen data={screenData} />
      </App>
    </StaticRouter>,
  );
  const root = `<html lang="${siteWords.lang}" class="${getAccentClass('brand')}">`;
  const head = renderToStaticMarkup(
    <DocumentHead
      meta={meta}
      site={state.site}
      canonicalPath={state.isNotFound || meta.isHidden ? undefined : pathname}
      heroPicture={getHeroPicture?.(screenData)}
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
  const data = serializePageData({
    state,
    scripts: assets.findScreenScripts(file),
    screenData,
  });

  // React and the data serializer have escaped every part.
  return `<!doctype html>
${root}
  <head>${head}</head>
  <body><div id="root">${body}</div>
    ${styleSheets.join('')}
    <script type="application/json" id="${PAGE_DATA_ID}">${data}</script>
    ${startScript}
  </body>
</html>`;
}
