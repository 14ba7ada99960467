import type { Site } from '../../shared/site.ts';

/** What search engines and browser tabs read of a page. */
export interface PageMeta {
  /** Without the site's name, which is appended. */
  readonly title: string;
  readonly description: string;
  /** Kept out of search results. */
  readonly isHidden?: boolean;
}

/** The whole title of a page as the browser tab shows it. */
export function formatTitle(meta: PageMeta, site: Site): string {
  return `${meta.title} | ${site.name}`;
}
