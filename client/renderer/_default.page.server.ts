import { dangerouslySkipEscape } from 'vite-plugin-ssr/server';
import type { RenderInput } from '../../shared/document-assets.ts';
import { renderDocument } from './render-document.tsx';

interface PageAsset {
  inject: false | 'HTML_BEGIN' | 'HTML_END';
}

/** The document names its files itself, in the order the first view needs them. */
function injectNothing(assets: PageAsset[]): void {
  for (const asset of assets) asset.inject = false;
}

/**
 * The hook vite-plugin-ssr calls. A built document goes to the server as it is: looking for places to add files would
 * take a quarter of a rendering. So does an error, because vite-plugin-ssr would print its message, which may contain
 * personal data. During development vite-plugin-ssr adds Vite's scripts, and shows errors.
 */
export async function render(input: RenderInput) {
  if (!import.meta.env.PROD) {
    return { documentHtml: dangerouslySkipEscape(await renderDocument(input)), injectFilter: injectNothing };
  }
  try {
    return { pageContext: { document: await renderDocument(input) } };
  } catch (renderError) {
    return { pageContext: { renderError } };
  }
}
