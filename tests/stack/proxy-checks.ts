import assert from 'node:assert/strict';
import { Agent, fetch as fetchWith } from 'undici';
import type { Check } from './container-checks.ts';
import type { Stack } from './stack.ts';

/** The proxy's own certificate authority, created when it first starts. */
const ROOT_CERTIFICATE = '/data/caddy/pki/authorities/local/root.crt';

/** Returns a `fetch` that trusts the stack's certificate authority. */
async function makeTrustingFetch(stack: Stack): Promise<typeof fetch> {
  const ca = await stack.exec('proxy', 'cat', ROOT_CERTIFICATE);
  const dispatcher = new Agent({ connect: { ca } });
  const get: unknown = (url: string, options: object) => fetchWith(url, { ...options, dispatcher });

  // The types of undici's fetch and Node's differ only because their versions differ.
  return get as typeof fetch;
}

/** Checks the site through the proxy, as visitors reach it. */
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
  ];
}
