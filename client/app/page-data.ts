import type { PageState } from '../../shared/rendering.ts';

/** Id of the data block the server writes into a document for the scripts. */
export const PAGE_DATA_ID = 'page-data';

/** What the scripts are told by the document they are in. */
export interface PageData {
  readonly state: PageState;
  /** URLs of the scripts of the screen shown; they are wanted as soon as scripts are. */
  readonly scripts: readonly string[];
  /** What the screen shown wants to know of its page (`getServedData`). */
  readonly screenData?: object | undefined;
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
