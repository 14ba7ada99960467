import type { PageMeta } from '../../shared/content/page-meta.ts';
import type { Site } from '../../shared/site.ts';

/** The whole title of a page as the browser tab shows it. */
export function formatTitle(meta: PageMeta, site: Site): string {
  return `${meta.title} | ${site.name}`;
}
