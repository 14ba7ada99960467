import assert from 'node:assert/strict';
import { Agent, fetch as fetchWith } from 'undici';
import { listHeaderErrors, type ResponseKind } from '../support/header-rules.ts';
import type { Check } from './container-checks.ts';
import type { Stack } from './stack.ts';

/** The proxy's own authority, created at its first start. */
const ROOT_CERTIFICATE = '/data/caddy/pki/authorities/local/root.crt';

/** A `fetch` that trusts the stack's certificate authority. */
async function makeTrustingFetch(stack: Stack): Promise<typeof fetch> {
  const ca = await stack.exec('proxy', 'cat', ROOT_CERTIFICATE);
  const dispatcher = new Agent({ connect: { ca } });
  const get: unknown = (url: string, options: object) => fetchWith(url, { ...options, dispatcher });

  // The types of undici's fetch and Node's differ only because their versions differ.
  return get as typeof fetch;
}

/** Paths of responses of web, their statuses and kinds. */
const SCANS: ReadonlyArray<readonly [path: string, status: number, kind: ResponseKind]> = [
  ['/', 200, 'page'],
  ['/contact', 200, 'page'],
  ['/nowhere', 404, 'page'],
  ['/api/nowhere', 404, 'other'],
];

const pairsOf = (response: Response) => [...response.headers.entries()];

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
        for (const [path, status, kind] of SCANS) {
          const response = await get(stack.httpsOrigin + path);
          assert.equal(response.status, status, path);
          assert.deepEqual(listHeaderErrors(pairsOf(response), { kind, isHttps: true }), [], path);
        }
        const redirect = await fetch(stack.httpOrigin, { redirect: 'manual' });
        assert.deepEqual(listHeaderErrors(pairsOf(redirect), { kind: 'other', isHttps: true }), []);
      },
    ],
  ];
}
