import { escapeHtml } from '../../shared/escape-html.ts';
import type { Page } from '../../shared/node/content/list-pages.ts';
import type { Site } from '../../shared/site.ts';

/**
 * The sitemap (https://www.sitemaps.org/protocol.html): address and day of the last change.
 * Its five entities are those of HTML, its limit of 50,000 addresses is far away.
 */
export function writeSitemap(site: Site, pages: readonly Page[]): string {
  const entries = pages.map(
    ({ path, meta }) =>
      `  <url><loc>${escapeHtml(site.publicUrl + path)}</loc>` +
      `<lastmod>${escapeHtml(meta.updatedOn)}</lastmod></url>\n`,
  );

  return `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join('')}</urlset>
`;
}
