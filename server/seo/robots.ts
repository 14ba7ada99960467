import { discoveryPaths } from '../../shared/paths.ts';
import type { Site } from '../../shared/site.ts';

/** None has pages for search: calls answer with data, the others are behind links in mails. */
const CLOSED_PREFIXES = ['/api/', '/follow-up/', '/newsletter/'];

/**
 * The rules for crawlers (RFC 9309). Hidden pages stay open: a crawler that may not read one never
 * sees its `noindex`.
 */
export function writeRobots(site: Site): string {
  return [
    'User-agent: *',
    ...CLOSED_PREFIXES.map((prefix) => `Disallow: ${prefix}`),
    '',
    `Sitemap: ${site.publicUrl}${discoveryPaths.sitemap}`,
    '',
  ].join('\n');
}
