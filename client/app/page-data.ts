import type { PageState } from '../../shared/page-state.ts';

/** Id of the script element that holds the page data. */
export const PAGE_DATA_ID = 'page-data';

/** Data the server embeds in a page for its scripts. */
export interface PageData {
  readonly state: PageState;
  /** URLs of the scripts that hydrate the page. */
  readonly scripts: readonly string[];
  /** The result of the screen's `load`. */
  readonly screenData?: unknown;
}

/** Returns the data as JSON that is safe inside a `<script>` element. */
export function serializePageData(data: PageData): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}

/** Returns the document's page data. @throws if our server didn't render the document */
export function readPageData(): PageData {
  const text = document.getElementById(PAGE_DATA_ID)?.textContent;
  if (!text) throw new Error('The document has no page data.');

  return JSON.parse(text) as PageData;
}
