import assert from 'node:assert/strict';
import { Agent, fetch as fetchWith } from 'undici';
import { listHeaderErrors, type ResponseKind } from '../support/header-rules.ts';
import type { Check } from './container-checks.ts';
import type { Stack } from './stack.ts';

/** The proxy's own authority, created at its first start. */
const ROOT_CERTIFICATE = '/data/caddy/pki/authorities/local/root.crt';

export const readRootCertificate = (stack: Stack) => stack.exec('proxy', 'cat', ROOT_CERTIFICATE);

/** A `fetch` that trusts the stack's certificate authority. */
export async function makeTrustingFetch(stack: Stack): Promise<typeof fetch> {
  const ca = await readRootCertificate(stack);
  const dispatcher = new Agent({ connect: { ca } });
  const get: unknown = (url: string, options: object) => fetchWith(url, { ...options, dispatcher });

  // The types of undici's fetch and Node's differ only because their versions differ.
  return get as typeof fetch;
}

interface Scan {
  readonly path: string;
  readonly status: number;
  readonly kind: ResponseKind;
  readonly options?: RequestInit;
}

const json = { 'content-type': 'application/json' };

const SCANS: readonly Scan[] = [
  { path: '/', status: 200, kind: 'page' },
  { path: '/solutions/ai-transformation', status: 200, kind: 'page' },
  { path: '/contact', status: 200, kind: 'page' },
  { path: '/nowhere', status: 404, kind: 'page' },
  { path: '/Contact', status: 308, kind: 'other' },
  { path: '/api/nowhere', status: 404, kind: 'other' },
  { path: '/health/ready', status: 200, kind: 'other' },
  { path: '/sitemap.xml', status: 200, kind: 'other' },
  {
    path: '/api/contact-submissions',
    status: 400,
    kind: 'other',
    options: { method: 'POST', headers: json, body: '{}' },
  },
  {
    path: '/api/contact-submissions',
    status: 403,
    kind: 'other',
    options: { method: 'POST', headers: { ...json, origin: 'https://example.org' }, body: '{}' },
  },
];

const pairsOf = (response: Response) => [...response.headers.entries()];

async function expectHeaders(
  get: typeof fetch,
  origin: string,
  { path, status, kind, options }: Scan,
): Promise<void> {
  const response = await get(origin + path, { redirect: 'manual', ...options });
  assert.equal(response.status, status, path);
  assert.deepEqual(listHeaderErrors(pairsOf(response), { kind, isHttps: true }), [], path);
}

/** Checks the site as visitors reach it. */
export function checkProxy(stack: Stack): Check[] {
  return [
    [
      'serves the site over HTTPS, and redirects plain HTTP to it',
      async () => {
        const get = await makeTrustingFetch(stack);
        const response = await get(`${stack.httpsOrigin}/about`);
        assert.equal(response.status, 200);
        assert.match(await response.text(), /<h1/);
        const plain = await fetch(`${stack.httpOrigin}/about?from=mail`, { redirect: 'manual' });
        assert.equal(plain.status, 308);
        assert.equal(plain.headers.get('location'), `${stack.httpsOrigin}/about?from=mail`);
        await assert.rejects(fetch(stack.httpsOrigin), 'an unknown authority is trusted');
      },
    ],
    [
      'sends every response with all security headers, each once',
      async () => {
        const get = await makeTrustingFetch(stack);
        for (const scan of SCANS) await expectHeaders(get, stack.httpsOrigin, scan);
        const redirect = await fetch(stack.httpOrigin, { redirect: 'manual' });
        assert.deepEqual(listHeaderErrors(pairsOf(redirect), { kind: 'other', isHttps: true }), []);
      },
    ],
    [
      'responds with its own page and all headers while web is down',
      async () => {
        const get = await makeTrustingFetch(stack);
        await stack.compose('stop', 'web');
        await expectHeaders(get, stack.httpsOrigin, { path: '/', status: 503, kind: 'other' });
        await stack.compose('start', 'web');
        await stack.waitUntilReady(stack.origin);
      },
    ],
  ];
}
