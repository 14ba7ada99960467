import type { FastifyInstance } from 'fastify';
import { escapeHtml } from '../../shared/escape-html.ts';
import type { Page, PageKind } from '../../shared/node/content/list-pages.ts';
import { siteFilePaths, uncrawledPrefixes } from '../../shared/paths.ts';
import type { Site } from '../../shared/site.ts';
import { PLAIN_TEXT_TYPE, routeTextDocuments } from '../http/response-cache.ts';
import { writeFeed } from './feed.ts';

/** The rules for crawlers (RFC 9309). Hidden pages stay open, so that their `noindex` is seen. */
function writeRobots(site: Site): string {
  return [
    'User-agent: *',
    ...uncrawledPrefixes.map((prefix) => `Disallow: ${prefix}`),
    '',
    `Sitemap: ${site.publicUrl}${siteFilePaths.sitemap}`,
    '',
  ].join('\n');
}

/** The sitemap (https://www.sitemaps.org/protocol.html): address and day of the last change. */
function writeSitemap(site: Site, pages: readonly Page[]): string {
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

/** The sections of llms.txt, by kind of page. */
const sections: readonly { readonly heading: string; readonly kinds: readonly PageKind[] }[] = [
  { heading: 'Solutions', kinds: ['solution'] },
  { heading: 'Articles', kinds: ['article'] },
  { heading: 'Company', kinds: ['page', 'listing', 'legal'] },
];

/** Escapes a name, so that it isn't parsed as Markdown; line breaks would end its line. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>]/g, '\\$&').replace(/\s+/g, ' ');
}

/** The site for language models (https://llmstxt.org): its name and every page with its description. */
function writeLlmsText(site: Site, pages: readonly Page[]): string {
  const summary = pages.find(({ kind }) => kind === 'home')?.meta.description ?? '';
  const writeLink = ({ path, meta }: Page) =>
    `- [${escapeMarkdown(meta.title)}](${site.publicUrl}${path}): ${escapeMarkdown(meta.description)}`;

  return [
    `# ${escapeMarkdown(site.name)}`,
    `> ${escapeMarkdown(summary)}`,
    ...sections.flatMap(({ heading, kinds }) => {
      const links = pages.filter(({ kind }) => kinds.includes(kind)).map(writeLink);

      return links.length > 0 ? [`## ${heading}\n\n${links.join('\n')}`] : [];
    }),
  ]
    .join('\n\n')
    .concat('\n');
}

interface SeoOptions {
  readonly site: Site;
  /** Every public page; hidden ones are left out of what is written. */
  readonly sitePages: readonly Page[];
}

/** What crawlers and feed readers request: sitemap, feed, robots.txt, llms.txt. */
export async function seo(app: FastifyInstance, { site, sitePages }: SeoOptions): Promise<void> {
  const listed = sitePages.filter(({ meta }) => !meta.isHidden);

  routeTextDocuments(app, [
    {
      path: siteFilePaths.sitemap,
      contentType: 'application/xml; charset=utf-8',
      write: () => writeSitemap(site, listed),
    },
    {
      path: siteFilePaths.feed,
      contentType: 'application/atom+xml; charset=utf-8',
      write: () => writeFeed(site, listed),
    },
    {
      path: siteFilePaths.robots,
      contentType: PLAIN_TEXT_TYPE,
      write: () => writeRobots(site),
    },
    {
      path: siteFilePaths.llmsText,
      contentType: PLAIN_TEXT_TYPE,
      write: () => writeLlmsText(site, listed),
    },
  ]);
}
