import type { FastifyInstance } from 'fastify';
import { Day, Second } from '../../shared/time.ts';

const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
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
 */
export function makeSecurityHeaders(publicUrl: string): Readonly<Record<string, string>> {
  const isHttps = publicUrl.startsWith('https://');

  return {
    'content-security-policy': [
      ...CONTENT_POLICY,
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
