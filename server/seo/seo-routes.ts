import fastifyPlugin from 'fastify-plugin';
import type { Page } from '../../shared/node/content/list-pages.ts';
import { siteFilePaths } from '../../shared/paths.ts';
import type { Site } from '../../shared/site.ts';
import { PLAIN_TEXT_TYPE, routeTextDocuments, writeOnce } from '../http/text-documents.ts';
import { writeLlmsText, writeRobots, writeSitemap } from './crawler-documents.ts';
import { writeFeed } from './feed.ts';

interface SeoOptions {
  readonly site: Site;
  /** Every public page; hidden ones are left out of what is written. */
  readonly sitePages: readonly Page[];
}

/** What crawlers and feed readers request: sitemap, feed, robots.txt, llms.txt. */
export const seo = fastifyPlugin<SeoOptions>(
  async (app, { site, sitePages }) => {
    const listed = sitePages.filter(({ meta }) => !meta.isHidden);

    routeTextDocuments(app, [
      {
        path: siteFilePaths.sitemap,
        contentType: 'application/xml; charset=utf-8',
        write: writeOnce(() => writeSitemap(site, listed)),
      },
      {
        path: siteFilePaths.feed,
        contentType: 'application/atom+xml; charset=utf-8',
        write: writeOnce(() => writeFeed(site, listed)),
      },
      {
        path: siteFilePaths.robots,
        contentType: PLAIN_TEXT_TYPE,
        write: writeOnce(() => writeRobots(site)),
      },
      {
        path: siteFilePaths.llmsText,
        contentType: PLAIN_TEXT_TYPE,
        write: writeOnce(() => writeLlmsText(site, listed)),
      },
    ]);
  },
  { name: 'seo', encapsulate: true, dependencies: ['error-handler', 'request-guard'] },
);
