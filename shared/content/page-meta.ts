import type { Site } from '../site.ts';

/** A page's metadata for search engines, tabs and shared links. */
export interface PageMeta {
  /** Without the site's name. */
  readonly title: string;
  /** 110 to 160 characters, unless the page is hidden. */
  readonly description: string;
  /** Date of the last change, `YYYY-MM-DD`. */
  readonly updatedOn: string;
  /** Only for pages with an author and a date. */
  readonly article?: {
    /** `YYYY-MM-DD` */
    readonly publishedOn: string;
    /** A team, never a person. */
    readonly author: string;
    readonly section: string;
  };
  /** Hides the page from search engines. */
  readonly isHidden?: boolean;
}

/** Returns the metadata from a page's content file. */
export function readPageMeta({
  metaTitle,
  metaDescription,
  updatedOn,
}: Readonly<Record<'metaTitle' | 'metaDescription' | 'updatedOn', string>>): PageMeta {
  return { title: metaTitle, description: metaDescription, updatedOn };
}

/** Returns the page title with the site's name. */
export function formatTitle(meta: PageMeta, site: Site): string {
  return `${meta.title} | ${site.name}`;
}
