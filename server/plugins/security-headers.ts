import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Day, Second } from '../../shared/time.ts';

/** Allows exactly this content of a `<style>` (Content Security Policy Level 3, hash-source). */
function makeHashSource(styles: string): string {
  return `'sha256-${createHash('sha256').update(styles).digest('base64')}'`;
}

const makeContentPolicy = (inlineStyles: string) => [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${makeHashSource(inlineStyles)}`,
  "img-src 'self'",
  "font-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  "frame-ancestors 'none'",
];

const PERMISSIONS_POLICY = [
  'accelerometer',
  'browsing-topics',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'usb',
]
  .map((feature) => `${feature}=()`)
  .join(', ');

/**
 * The headers every answer carries, whatever it is.
 * @param publicUrl decides on HTTPS-only headers
 * @param inlineStyles content of the one `<style>` a document may have
 */
export function makeSecurityHeaders(
  publicUrl: string,
  inlineStyles: string,
): Readonly<Record<string, string>> {
  const isHttps = publicUrl.startsWith('https://');

  return {
    'content-security-policy': [
      ...makeContentPolicy(inlineStyles),
      ...(isHttps ? ['upgrade-insecure-requests'] : []),
    ].join('; '),
    ...(isHttps
      ? { 'strict-transport-security': `max-age=${(730 * Day) / Second}; includeSubDomains` }
      : {}),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy': PERMISSIONS_POLICY,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-frame-options': 'DENY',
  };
}

/** Sets the headers before anything else can answer, so that errors carry them too. */
export function registerSecurityHeaders(
  app: FastifyInstance,
  headers: Readonly<Record<string, string>>,
): void {
  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
}
