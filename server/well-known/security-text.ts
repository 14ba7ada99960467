import { makeMailtoUrl } from '../../shared/mailbox.ts';
import { discoveryPaths } from '../../shared/paths.ts';
import type { Site } from '../../shared/site.ts';
import { Day } from '../../shared/time.ts';

/** RFC 9116 recommends less than a year. */
const VALID_FOR = 180 * Day;

/**
 * Where to report a vulnerability (RFC 9116).
 * @param now milliseconds; the expiry counts from the start of its day, so that the text stays the
 * same for a day however long the process runs
 */
export function writeSecurityText(site: Site, now: number): string {
  const expires = new Date(Math.floor(now / Day) * Day + VALID_FOR).toISOString();
  // Section 2.5.2 allows no other scheme.
  const isHttps = site.publicUrl.startsWith('https://');

  return [
    `Contact: ${makeMailtoUrl(site.legalEmail)}`,
    `Expires: ${expires}`,
    'Preferred-Languages: en',
    ...(isHttps ? [`Canonical: ${site.publicUrl}${discoveryPaths.securityText}`] : []),
    '',
  ].join('\n');
}
