import type { FastifyInstance } from 'fastify';
import type { Page } from '../../shared/node/content/list-pages.ts';
import { siteFilePaths } from '../../shared/paths.ts';
import type { Site } from '../../shared/site.ts';
import { PLAIN_TEXT_TYPE, routeTextDocuments } from '../http/response-cache.ts';
import { writeLlmsText, writeRobots, writeSitemap } from './crawler-documents.ts';
import { writeFeed } from './feed.ts';

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
