import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { salesPrefix, siteFilePaths } from '../../shared/paths.ts';
import { Day, Second } from '../../shared/time.ts';

type Headers = Readonly<Record<string, string>>;

declare module 'fastify' {
  interface FastifyReply {
    /** The hash of the page's `<style>`, if known. */
    styleHash: string | undefined;
    /** Whether this is a redirect from an alias. HSTS_SUBDOMAINS doesn't cover an alias's subdomains. */
    isForAlias: boolean;
  }
}

const STYLE_ELEMENT = /<style>(.*?)<\/style>/s;

/** Returns the source expression that allows only the document's `<style>`. Undefined if there is none. */
export function hashInlineStyles(html: string): string | undefined {
  const styles = STYLE_ELEMENT.exec(html)?.[1];

  return styles && `'sha256-${createHash('sha256').update(styles).digest('base64')}'`;
}

/** The policy for everything that isn't a page. */
const CLOSED_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

const listDirectives = (styleHash: string) => [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${styleHash}`,
  "img-src 'self'",
  "font-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  "frame-ancestors 'none'",
  // No script turns text into markup or scripts, so no Trusted Types policy is allowed.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
];

/** Features that no page uses. Chromium warns about names it doesn't recognize. */
const PERMISSIONS_POLICY = [
  'accelerometer',
  'browsing-topics',
  'camera',
  'compute-pressure',
  'display-capture',
  'encrypted-media',
  'gamepad',
  'geolocation',
  'gyroscope',
  'hid',
  'identity-credentials-get',
  'idle-detection',
  'keyboard-map',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'otp-credentials',
  'payment',
  'publickey-credentials-create',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'storage-access',
  'usb',
  'window-management',
  'xr-spatial-tracking',
]
  .map((feature) => `${feature}=()`)
  .join(', ');

const INCLUDE_SUBDOMAINS = '; includeSubDomains';

const isHttps = (publicUrl: string) => publicUrl.startsWith('https://');

function makePagePolicy(publicUrl: string): (styleHash: string) => string {
  const placeholder = 'STYLE_HASH';
  const directives = [
    ...listDirectives(placeholder),
    ...(isHttps(publicUrl) ? ['upgrade-insecure-requests'] : []),
  ];
  const [before, after] = directives.join('; ').split(placeholder);

  return (styleHash) => `${before}${styleHash}${after}`;
}

/** Path to the speculation rules, in quotes because the header is a structured field. */
const SPECULATION_RULES = `"${siteFilePaths.speculationRules}"`;

interface SecurityHeaderOptions {
  readonly publicUrl: string;
  /** Adds `includeSubDomains` to HSTS. */
  readonly hstsSubdomains?: boolean;
}

/** Returns the headers for every response. A page gets its own policy. */
export function makeSecurityHeaders({
  publicUrl,
  hstsSubdomains = false,
}: SecurityHeaderOptions): Headers {
  const hsts = `max-age=${(730 * Day) / Second}${hstsSubdomains ? INCLUDE_SUBDOMAINS : ''}`;

  return {
    'content-security-policy': CLOSED_POLICY,
    ...(isHttps(publicUrl) ? { 'strict-transport-security': hsts } : {}),
    'x-content-type-options': 'nosniff',
    // With `no-referrer`, forms would send `Origin: null`, which the request guard refuses.
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy': PERMISSIONS_POLICY,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
    'cross-origin-resource-policy': 'same-origin',
    'origin-agent-cluster': '?1',
    'x-frame-options': 'DENY',
  };
}

/** The Cache-Control value for private responses, which not even the browser may store. */
export const PRIVATE_CACHE_CONTROL = 'private, no-store';

/** Excludes a response from search engines, because it is behind a password or a link in a mail. */
export function hideFromSearch(reply: FastifyReply): FastifyReply {
  return reply.header('x-robots-tag', 'noindex');
}

function findStyleHash(reply: FastifyReply, payload: unknown): string | undefined {
  if (reply.styleHash !== undefined) return reply.styleHash;
  const isHtml = String(reply.getHeader('content-type')).startsWith('text/html');

  return isHtml && typeof payload === 'string' ? hashInlineStyles(payload) : undefined;
}

/** Sets every response's headers. A page also gets its own policy and, unless it is for sales, speculation rules. */
export function setSecurityHeaders(app: FastifyInstance, publicUrl: string, headers: Headers): void {
  const writePagePolicy = makePagePolicy(publicUrl);
  const isOn = 'content-security-policy' in headers;
  const { 'strict-transport-security': hsts } = headers;
  const forAlias = hsts ? { ...headers, 'strict-transport-security': hsts.replace(INCLUDE_SUBDOMAINS, '') } : headers;

  app.decorateReply('styleHash', undefined).decorateReply('isForAlias', false);
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.headers(reply.isForAlias ? forAlias : headers);
    const styleHash = isOn ? findStyleHash(reply, payload) : undefined;
    if (styleHash !== undefined) {
      reply.header('content-security-policy', writePagePolicy(styleHash));
      if (!request.url.startsWith(salesPrefix)) reply.header('speculation-rules', SPECULATION_RULES);
    }
    done();
  });
}
