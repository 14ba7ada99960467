import { dangerouslySkipEscape } from 'vite-plugin-ssr/server';
import type { RenderInput } from '../../shared/document-assets.ts';
import { renderDocument } from './render-document.tsx';

interface PageAsset {
  inject: false | 'HTML_BEGIN' | 'HTML_END';
}

/** Disables asset injection. The document lists its assets itself, in the order the first view needs them. */
function disableInjection(assets: PageAsset[]): void {
  for (const asset of assets) asset.inject = false;
}

/**
 * Renders a page for vite-plugin-ssr. In production, the document bypasses the plugin's asset injection, which takes a
 * quarter of the rendering time. Errors are returned, not thrown, because the plugin would print their messages, which
 * may contain personal data.
 */
export async function render(input: RenderInput) {
  if (!import.meta.env.PROD) {
    return { documentHtml: dangerouslySkipEscape(await renderDocument(input)), injectFilter: disableInjection };
  }
  try {
    return { pageContext: { document: await renderDocument(input) } };
  } catch (renderError) {
    return { pageContext: { renderError } };
  }
}
