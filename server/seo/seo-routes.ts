import type { FastifyInstance } from 'fastify';
import type { Page } from '../../shared/node/content/list-pages.ts';
import { discoveryPaths } from '../../shared/paths.ts';
import type { Site } from '../../shared/site.ts';
import { Hour, Second } from '../../shared/time.ts';
import { compressText, prepareCachedResponse, type CachedResponse } from '../http/response-cache.ts';
import { writeFeed } from './feed.ts';
import { writeLlmsText } from './llms-text.ts';
import { writeRobots } from './robots.ts';
import { writeSecurityText } from '../well-known/security-text.ts';
import { writeSitemap } from './sitemap.ts';
import { writeWebManifest } from './web-manifest.ts';

export interface SeoContent {
  readonly site: Site;
  /** Every public page; hidden ones are left out of what is written. */
  readonly pages: readonly Page[];
}

interface DiscoveryDocument {
  readonly path: string;
  readonly contentType: string;
  readonly write: () => string;
}

const CACHE_CONTROL = `public, max-age=${Hour / Second}`;
const PLAIN_TEXT = 'text/plain; charset=utf-8';

/** Writes a text at its first use: what it is made from stays as it is while the process runs. */
function writeOnce(write: () => string): () => string {
  let text: string | undefined;

  return () => (text ??= write());
}

function listDocuments({ site, pages }: SeoContent): DiscoveryDocument[] {
  const listed = pages.filter(({ meta }) => !meta.isHidden);

  return [
    {
      path: discoveryPaths.sitemap,
      contentType: 'application/xml; charset=utf-8',
      write: writeOnce(() => writeSitemap(site, listed)),
    },
    {
      path: discoveryPaths.feed,
      contentType: 'application/atom+xml; charset=utf-8',
      write: writeOnce(() => writeFeed(site, listed)),
    },
    {
      path: discoveryPaths.robots,
      contentType: PLAIN_TEXT,
      write: writeOnce(() => writeRobots(site)),
    },
    {
      path: discoveryPaths.webManifest,
      contentType: 'application/manifest+json; charset=utf-8',
      write: writeOnce(() => writeWebManifest(site)),
    },
    {
      path: discoveryPaths.llmsText,
      contentType: PLAIN_TEXT,
      write: writeOnce(() => writeLlmsText(site, listed)),
    },
    {
      path: discoveryPaths.securityText,
      contentType: PLAIN_TEXT,
      // It names a day that comes nearer.
      write: () => writeSecurityText(site, Date.now()),
    },
  ];
}

/** Packs a text, and only once while it stays the same. */
function makePacker(): (text: string) => CachedResponse {
  let last: { readonly text: string; readonly packed: CachedResponse } | undefined;

  return (text) => {
    if (last?.text !== text) last = { text, packed: compressText(text) };

    return last.packed;
  };
}

/**
 * `GET` and `HEAD` of what crawlers, browsers and security researchers look for: each in its
 * format, with an ETag, good for an hour.
 */
export function registerSeo(app: FastifyInstance, content: SeoContent): void {
  for (const { path, contentType, write } of listDocuments(content)) {
    const pack = makePacker();

    app.get(path, async (request, reply) =>
      prepareCachedResponse(request, reply, pack(write()), {
        contentType,
        cacheControl: CACHE_CONTROL,
      }),
    );
  }
}
