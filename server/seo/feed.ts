import { siteWords } from '#content/site-words';
import { escapeHtml } from '../../shared/escape-html.ts';
import type { PageMeta } from '../../shared/content/page-meta.ts';
import type { Page } from '../../shared/node/content/list-pages.ts';
import { makeStaticPageMeta } from '../../shared/content/static-pages.ts';
import { siteFilePaths, routePatterns } from '../../shared/paths.ts';
import type { Site } from '../../shared/site.ts';

type ArticlePage = Page & { readonly meta: Required<Pick<PageMeta, 'article'>> };

/** Feed readers store what they have seen and poll every hour: older entries would be new to none. */
const MAX_FEED_ENTRIES = 50;

const isArticle = (page: Page): page is ArticlePage => page.meta.article !== undefined;

/** The beginning of a day as RFC 3339 writes it. */
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

/** The newest articles as an Atom feed (RFC 4287). */
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
