import type { FastifyInstance } from 'fastify';
import { brand } from '#content/brand';
import { siteWords } from '#content/site-words';
import { makeMailtoUrl } from '../../shared/mailbox.ts';
import { siteFilePaths, iconPaths, routePatterns, uncrawledPrefixes } from '../../shared/paths.ts';
import type { Site } from '../../shared/site.ts';
import { Day } from '../../shared/time.ts';
import { PLAIN_TEXT_TYPE, routeTextDocuments } from '../http/response-cache.ts';

/** RFC 9116 recommends less than a year. Web restarts often enough. */
const VALID_FOR = 360 * Day;

/** Returns security.txt (RFC 9116). It expires at the start of a day, so that all processes write the same text. */
function writeSecurityText(site: Site): string {
  const expires = new Date(Math.floor(Date.now() / Day) * Day + VALID_FOR).toISOString();
  // Section 2.5.2 allows no other scheme.
  const isHttps = site.publicUrl.startsWith('https://');

  return [
    `Contact: ${makeMailtoUrl(site.legalEmail)}`,
    `Expires: ${expires}`,
    'Preferred-Languages: en',
    ...(isHttps ? [`Canonical: ${site.publicUrl}${siteFilePaths.securityText}`] : []),
    '',
  ].join('\n');
}

/** Returns the web application manifest (https://www.w3.org/TR/appmanifest/). */
function writeWebManifest(site: Site): string {
  return JSON.stringify(
    {
      name: site.name,
      short_name: site.name,
      lang: siteWords.lang,
      id: routePatterns.home,
      start_url: routePatterns.home,
      scope: routePatterns.home,
      // Keeps the browser's back button.
      display: 'minimal-ui',
      theme_color: brand.colors.deep,
      background_color: brand.colors.cream,
      icons: [
        // The tab icon, which most browsers have already loaded.
        { src: iconPaths.svg, sizes: 'any', type: 'image/svg+xml' },
        ...Object.entries(iconPaths.png).map(([size, src]) => ({
          src,
          sizes: `${size}x${size}`,
          type: 'image/png',
        })),
      ],
    },
    null,
    2,
  );
}

/** Returns which pages a browser may prerender (https://wicg.github.io/nav-speculation/speculation-rules.html). */
function writeSpeculationRules(): string {
  const excluded = [routePatterns.insights, ...uncrawledPrefixes.map((prefix) => `${prefix}*`), '/*.*'];

  return JSON.stringify({
    prerender: [
      {
        where: { and: [{ href_matches: '/*' }, { not: { href_matches: excluded } }] },
        eagerness: 'moderate',
      },
    ],
  });
}

interface WellKnownOptions {
  readonly site: Site;
}

/** Routes the web manifest, security.txt and the speculation rules. */
export async function wellKnown(app: FastifyInstance, { site }: WellKnownOptions): Promise<void> {
  routeTextDocuments(app, [
    {
      path: siteFilePaths.webManifest,
      contentType: 'application/manifest+json; charset=utf-8',
      write: () => writeWebManifest(site),
    },
    {
      path: siteFilePaths.securityText,
      contentType: PLAIN_TEXT_TYPE,
      write: () => writeSecurityText(site),
    },
    {
      path: siteFilePaths.speculationRules,
      contentType: 'application/speculationrules+json',
      write: writeSpeculationRules,
    },
  ]);
}
