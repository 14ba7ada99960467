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
 * Returns the markup React hydrates. Unlike `renderToString`, which leaves a part empty whose rendering fails inside a
 * `Suspense`, it throws the error.
 */
async function renderMarkup(node: ReactNode): Promise<string> {
  const errors: unknown[] = [];
  const { prelude } = await prerender(node, {
    onError: (error) => void errors.push(error),
    // Bytes: React would move a larger part to the end, for a script to put in place.
    progressiveChunkSize: Infinity,
  });
  if (errors.length > 0) throw errors[0];

  // Not `new Response(prelude).text()`, for which Node loads its whole client for HTTP.
  const decoder = new TextDecoder();
  const reader = prelude.getReader();
  let markup = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    markup += decoder.decode(part.value, { stream: true });
  }

  return markup;
}

/**
 * Header and footer of the pages of a screen, which have the same place in the navigation; rendered once, as they
 * are half of a page's elements.
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

/** Renders the document of one page. @throws the first error of a component */
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

  // Every part is escaped: by React, and the data by their serializer.
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
