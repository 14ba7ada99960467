import type { RenderInput } from '../../shared/rendering.ts';
import type { RenderedDocument } from './render-document.tsx';

/**
 * The hook vite-plugin-ssr calls. It imports the rest only then: vite-plugin-ssr follows this file's
 * imports into a second entry of the browser's build, and the styles of what it imported from the
 * start would be put into a file of that entry.
 */
export async function render(input: RenderInput): Promise<RenderedDocument> {
  const { renderDocument } = await import('./render-document.tsx');

  return renderDocument(input);
}
