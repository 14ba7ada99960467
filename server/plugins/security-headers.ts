import type { FastifyInstance } from 'fastify';
import { Day, Second } from '../../shared/time.ts';
import { hashInlineStyles } from '../inline-styles.ts';

declare module 'fastify' {
  interface FastifyReply {
    /** Hash of the `<style>` of a document that is sent compressed. */
    styleHash: string | undefined;
  }
}

const listDirectives = (styleHash: string | undefined) => [
  "default-src 'none'",
  "script-src 'self'",
  styleHash === undefined ? "style-src 'self'" : `style-src 'self' ${styleHash}`,
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

const isHttps = (publicUrl: string) => publicUrl.startsWith('https://');

function writeContentPolicy(publicUrl: string, styleHash?: string): string {
  return [
    ...listDirectives(styleHash),
    ...(isHttps(publicUrl) ? ['upgrade-insecure-requests'] : []),
  ].join('; ');
}

/**
 * The headers every answer carries, whatever it is.
 * @param publicUrl decides on HTTPS-only headers
 */
export function makeSecurityHeaders(publicUrl: string): Readonly<Record<string, string>> {
  return {
    'content-security-policy': writeContentPolicy(publicUrl),
    ...(isHttps(publicUrl)
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

/**
 * Sets the headers before anything else can answer, so that errors carry them too. The policy of a
 * document then allows its one `<style>` besides.
 */
export function registerSecurityHeaders(app: FastifyInstance, publicUrl: string): void {
  const headers = makeSecurityHeaders(publicUrl);
  app.decorateReply('styleHash');

  app.addHook('onRequest', async (_request, reply) => {
    reply.headers(headers);
  });
  app.addHook('onSend', async (_request, reply, payload) => {
    const isText = typeof payload === 'string' || Buffer.isBuffer(payload);
    const styleHash = reply.styleHash ?? (isText ? hashInlineStyles(String(payload)) : undefined);
    if (styleHash !== undefined) {
      reply.header('content-security-policy', writeContentPolicy(publicUrl, styleHash));
    }
  });
}
