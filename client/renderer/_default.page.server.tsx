import { renderToStaticMarkup, renderToString } from 'react-dom/server';
import { StaticRouter } from 'react-router-dom';
import { dangerouslySkipEscape, escapeInject } from 'vite-plugin-ssr/server';
import { App } from '../app/app.tsx';
import type { RenderInput } from '../../shared/rendering.ts';
import { loadScreen, matchScreen, notFoundFile } from '../app/screen-registry.ts';
import { DocumentHead } from './document-head.tsx';

export const passToClient = ['state'];

/** Renders the document of one page; called by vite-plugin-ssr. */
export async function render({
  location,
  state,
  findAssets,
}: RenderInput): Promise<ReturnType<typeof escapeInject>> {
  const pathname = location.split('?', 1)[0] ?? location;
  const { file, params } = state.isNotFound
    ? { file: notFoundFile, params: {} }
    : matchScreen(pathname);
  const { getMeta } = await loadScreen(file);
  const meta = getMeta(state.site, params);
  if (!meta) throw new Error(`No page for ${pathname}: the server should have answered 404.`);

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
      assets={findAssets(file)}
    />,
  );

  return escapeInject`<!doctype html>
<html lang="en">
  <head>${dangerouslySkipEscape(head)}</head>
  <body><div id="root">${dangerouslySkipEscape(body)}</div></body>
</html>`;
}
