import { readFile } from 'node:fs/promises';
import type { Manifest } from 'vite';
import type { renderPage as RenderPage } from 'vite-plugin-ssr/server';
import type { PageState, RenderInput, ScreenAssets } from '../../shared/rendering.ts';
import type { Logger } from '../../shared/node/logger.ts';
import { logConsoleWarnings } from './console-warnings.ts';
import { makeScreenAssetFinder } from './screen-assets.ts';

/** Renders the document for a path with its known query values. */
export type RenderDocument = (location: string, state: PageState) => Promise<string>;

const distFolder = new URL('../../dist/', import.meta.url);

function makeRenderDocument(
  renderPage: typeof RenderPage,
  findAssets: (file: string) => ScreenAssets,
): RenderDocument {
  return async (location, state) => {
    const input: RenderInput = { location, state, findAssets };
    const { httpResponse, errorWhileRendering } = await renderPage({
      // The single page matches whatever the URL is; the location decides.
      urlOriginal: '/',
      ...input,
    });
    if (errorWhileRendering) {
      throw new Error('The page could not be rendered.', { cause: errorWhileRendering });
    }
    if (!httpResponse) throw new Error('vite-plugin-ssr gave no answer.');

    return httpResponse.body;
  };
}

/**
 * Loads the built pages.
 * @throws when the site isn't built
 */
export async function loadBuiltPages(logger: Logger): Promise<RenderDocument> {
  const manifestText = await readFile(new URL('assets.json', distFolder), 'utf8').catch(
    (cause: unknown) => {
      throw new Error('The site is not built: run "npm run build" first.', { cause });
    },
  );
  const manifest = JSON.parse(manifestText) as Manifest;
  logConsoleWarnings(logger);
  // Registers the build; without it vite-plugin-ssr guesses from the working directory.
  await import(new URL('server/importBuild.cjs', distFolder).href);
  const { renderPage } = await import('vite-plugin-ssr/server');

  return makeRenderDocument(renderPage, makeScreenAssetFinder(manifest));
}

/** Renders through Vite's development server, which has to run in this process. */
export async function loadPagesFromSource(logger: Logger): Promise<RenderDocument> {
  logConsoleWarnings(logger);
  const { renderPage } = await import('vite-plugin-ssr/server');

  return makeRenderDocument(renderPage, () => ({ scripts: [], styles: [] }));
}
