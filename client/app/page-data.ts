import type { PageState } from '../../shared/page-state.ts';

/** Id of the data block the server writes into a document for the scripts. */
export const PAGE_DATA_ID = 'page-data';

/** Data of the document for its scripts. */
export interface PageData {
  readonly state: PageState;
  /** URLs of the scripts that hydrate the page. */
  readonly scripts: readonly string[];
  /** What the screen's `load` returned. */
  readonly screenData?: unknown;
}

/** Writes the data as JSON that can stand inside a `<script>` element. */
export function serializePageData(data: PageData): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}

/** @throws when the document wasn't rendered by our server */
export function readPageData(): PageData {
  const text = document.getElementById(PAGE_DATA_ID)?.textContent;
  if (!text) throw new Error('The document has no page data.');

  return JSON.parse(text) as PageData;
}
