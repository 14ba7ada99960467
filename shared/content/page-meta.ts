import type { Site } from '../site.ts';

/** What search engines, browser tabs and shared links read of a page. */
export interface PageMeta {
  /** Without the site's name, which is appended. */
  readonly title: string;
  /** 110 to 160 characters, unless the page is hidden. */
  readonly description: string;
  /** Day of the last change to the text, `YYYY-MM-DD`. */
  readonly updatedOn: string;
  /** For texts with an author and a date. */
  readonly article?: {
    /** `YYYY-MM-DD` */
    readonly publishedOn: string;
    /** A team. */
    readonly author: string;
    readonly section: string;
  };
  /** Excluded from search results. */
  readonly isHidden?: boolean;
}

/** What the owner's file of a page says for search engines, browser tabs and shared links. */
export function readPageMeta({
  metaTitle,
  metaDescription,
  updatedOn,
}: Readonly<Record<'metaTitle' | 'metaDescription' | 'updatedOn', string>>): PageMeta {
  return { title: metaTitle, description: metaDescription, updatedOn };
}

/** The whole title of a page as the browser tab shows it. */
export function formatTitle(meta: PageMeta, site: Site): string {
  return `${meta.title} | ${site.name}`;
}
