import { discoveryPaths, uncrawledPrefixes } from '../../shared/paths.ts';
import type { Site } from '../../shared/site.ts';

/**
 * The rules for crawlers (RFC 9309). Hidden pages stay open: a crawler that may not read one never
 * sees its `noindex`.
 */
export function writeRobots(site: Site): string {
  return [
    'User-agent: *',
    ...uncrawledPrefixes.map((prefix) => `Disallow: ${prefix}`),
    '',
    `Sitemap: ${site.publicUrl}${discoveryPaths.sitemap}`,
    '',
  ].join('\n');
}
