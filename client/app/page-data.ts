import type { PageState } from '../../shared/page-state.ts';

/** Id of the data block the server writes into a document for the scripts. */
export const PAGE_DATA_ID = 'page-data';

/** Data of the document for its scripts. */
export interface PageData {
  readonly state: PageState;
  /** URLs of the scripts of the screen shown; they are wanted as soon as scripts are. */
  readonly scripts: readonly string[];
  /** URL of the sheet that a page with a vignette needs; none while developing. */
  readonly vignetteSheet?: string | undefined;
  /** Data of the screen shown (`getServedData`). */
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

/** Path and query of the page the server sent; undefined once the router follows the address. */
let servedAddress: string | undefined;

const readAddress = () => location.pathname + location.search;

/** Called before anything may change the address. */
export function noteServedAddress(): void {
  servedAddress = readAddress();
}

/** Called once the router follows the address. */
export function clearServedAddress(): void {
  servedAddress = undefined;
}

/** Whether the visitor went back or forward and nothing has shown the page of the address yet. */
export const isElsewhere = (): boolean => servedAddress !== undefined && servedAddress !== readAddress();

/** Loads the page of the address, which isn't the one shown: the browser would note the position of this for that one. */
export function loadElsewhere(): void {
  servedAddress ??= '';
  history.scrollRestoration = 'manual';
  location.reload();
}
