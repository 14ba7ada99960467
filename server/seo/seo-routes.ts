import { siteWords } from '#content/site-words';
import { escapeHtml } from '../../shared/escape-html.ts';
import type { PageMeta } from '../../shared/content/page-meta.ts';
import type { Page, PageKind } from '../../shared/node/content/list-pages.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import { siteFilePaths, routePatterns, uncrawledPrefixes } from '../../shared/paths.ts';
import type { Site } from '../../shared/site.ts';
import type { FastifyInstance } from 'fastify';
import { PLAIN_TEXT_TYPE, routeTextDocuments } from '../http/response-cache.ts';

type ArticlePage = Page & { readonly meta: Required<Pick<PageMeta, 'article'>> };

/** Feed readers poll about once an hour and keep entries, so they already have the older ones. */
const MAX_FEED_ENTRIES = 50;

const isArticle = (page: Page): page is ArticlePage => page.meta.article !== undefined;

/** Returns the start of a day in RFC 3339 format. */
const toTime = (day: string) => `${day}T00:00:00Z`;

function writeEntry(site: Site, { path, meta }: ArticlePage): string {
  const { publishedOn, author, section } = meta.article;
  const url = escapeHtml(site.publicUrl + path);

  return `  <entry>
    <id>${url}</id>
    <title>${escapeHtml(meta.title)}</title>
    <link rel="alternate" type="text/html" href="${url}"/>
    <published>${toTime(publishedOn)}</published>
    <updated>${toTime(meta.updatedOn)}</updated>
    <author><name>${escapeHtml(author)}</name></author>
    <category term="${escapeHtml(section)}"/>
    <summary>${escapeHtml(meta.description)}</summary>
  </entry>
`;
}

/** Returns the newest articles as an Atom feed (RFC 4287). */
export function writeFeed(site: Site, pages: readonly Page[]): string {
  const articles = pages.filter(isArticle).slice(0, MAX_FEED_ENTRIES);
  const { title, description, ...listing } = makeStaticPageMeta(site).insights;
  const updatedOn = articles.map(({ meta }) => meta.updatedOn).sort().at(-1) ?? listing.updatedOn;
  const self = escapeHtml(site.publicUrl + siteFilePaths.feed);

  return `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${siteWords.lang}">
  <id>${self}</id>
  <title>${escapeHtml(`${title} | ${site.name}`)}</title>
  <subtitle>${escapeHtml(description)}</subtitle>
  <updated>${toTime(updatedOn)}</updated>
  <link rel="self" type="application/atom+xml" href="${self}"/>
  <link rel="alternate" type="text/html" href="${escapeHtml(site.publicUrl + routePatterns.insights)}"/>
${articles.map((article) => writeEntry(site, article)).join('')}</feed>
`;
}

/** Returns the rules for crawlers (RFC 9309). Hidden pages are allowed, so that crawlers see their `noindex`. */
function writeRobots(site: Site): string {
  return [
    'User-agent: *',
    ...uncrawledPrefixes.map((prefix) => `Disallow: ${prefix}`),
    '',
    `Sitemap: ${site.publicUrl}${siteFilePaths.sitemap}`,
    '',
  ].join('\n');
}

/** Returns the sitemap (https://www.sitemaps.org/protocol.html): each page's address and the date it last changed. */
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

const sections: readonly { readonly heading: string; readonly kinds: readonly PageKind[] }[] = [
  { heading: 'Solutions', kinds: ['solution'] },
  { heading: 'Articles', kinds: ['article'] },
  { heading: 'Company', kinds: ['page', 'listing', 'legal'] },
];

/** Escapes text for one line of Markdown. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_[\]<>]/g, '\\$&').replace(/\s+/g, ' ');
}

/** Returns the site's name and all pages with their descriptions, for language models (https://llmstxt.org). */
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
  /** Every public page. Hidden ones are omitted. */
  readonly sitePages: readonly Page[];
}

/** Routes what crawlers and feed readers request: sitemap, feed, robots.txt, llms.txt. */
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
