import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { renderPage as RenderPage } from 'vite-plugin-ssr/server';
import { reducePath } from '../../shared/contact/submission-source.ts';
import type { DocumentAssets, RenderInput } from '../../shared/document-assets.ts';
import type { PageState } from '../../shared/page-state.ts';
import { buildFolder } from '../../shared/node/content/build-folder.ts';
import { SiteError } from '../../shared/node/logging/describe-error.ts';
import { sourceAssets } from './document-assets.ts';

/** Renders the document for a path with its known query values. @throws RenderError */
export type RenderDocument = (location: string, state: PageState) => Promise<string>;

/** Warnings that operators can't act on: Vike's new name, NODE_ENV, and files that our documents already include. */
const NOT_WORTH_LOGGING = /renamed to Vike|NODE_ENV|injectFilter/;

/** Sends vite-plugin-ssr's `console.warn` to a log, without the useless ones. */
export function logConsoleWarnings(log: (text: string) => void): void {
  console.warn = (...parts: unknown[]) => {
    const text = parts.map(String).join(' ');
    if (!NOT_WORTH_LOGGING.test(text)) log(text);
  };
}

// Imported directly, because vite-plugin-ssr's lookup depends on the working directory and writes into node_modules.
const buildEntry = pathToFileURL(join(buildFolder, 'server', 'importBuild.cjs'));

export class RenderError extends SiteError {
  override readonly name = 'RenderError';
  /** The page's path, without the query or token. */
  readonly page: string;

  constructor(location: string, cause: unknown) {
    const page = reducePath(location);
    super(`The page ${page} could not be rendered.`, { cause });
    this.page = page;
  }
}

function makeRenderDocument(
  renderPage: typeof RenderPage,
  assets: DocumentAssets,
): RenderDocument {
  return async (location, state) => {
    const input: RenderInput = { location, state, assets };
    const { document, renderError, httpResponse, errorWhileRendering } = await renderPage<
      { document?: string; renderError?: unknown },
      RenderInput & { urlOriginal: string }
    >({
      ...input,
      // Never the visitor's URL, which vite-plugin-ssr may write unescaped (fixed in Vike 0.4.201).
      urlOriginal: '/',
    });
    const html = document ?? httpResponse?.body;
    if (html === undefined) throw new RenderError(location, renderError ?? errorWhileRendering);

    return html;
  };
}

/** Loads the built pages, whose documents refer to `assets`. */
export async function loadBuiltPages(assets: DocumentAssets): Promise<RenderDocument> {
  // Registers the build. Otherwise vite-plugin-ssr guesses from the working directory.
  await import(buildEntry.href);
  const { renderPage } = await import('vite-plugin-ssr/server');

  return makeRenderDocument(renderPage, assets);
}

/** Loads pages from source through Vite's development server, which must be running in this process. */
export async function loadPagesFromSource(): Promise<RenderDocument> {
  const { renderPage } = await import('vite-plugin-ssr/server');

  return makeRenderDocument(renderPage, sourceAssets);
}
