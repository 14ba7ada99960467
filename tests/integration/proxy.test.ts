import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { makeSecurityHeaders } from '../../server/http/security-headers.ts';
import { MAX_BODY_BYTES } from '../../shared/contact/contact-schema.ts';
import { apiPaths, apiPrefix } from '../../shared/paths.ts';
import { createCertificateAuthority } from '../support/certificates.ts';
import { makeContactBody } from '../support/contact-request.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { listHeaderErrors, type ResponseKind } from '../support/header-rules.ts';
import { openWeb } from '../support/open-site.ts';
import { startProxy } from '../support/proxy.ts';
import { requestRaw, type RawRequest, type RawResponse } from '../support/raw-http.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';
import type { Environment } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';

const SITE = 'https://site.test';

/** Starts web and a proxy in front of it, configured as in the stack. */
async function startSite(publicUrl: string, settings: Environment = {}) {
  const web = await openWeb({
    DATABASE_URL: await createMigratedDatabase(),
    TRUST_PROXY: '127.0.0.0/8',
    PUBLIC_URL: publicUrl,
    ...settings,
  });
  const proxy = await startProxy({
    PUBLIC_URL: publicUrl,
    PORT: new URL(web.origin).port,
    TLS: 'internal',
    ...settings,
  });

  return { web, proxy, httpUrl: `http://site.test:${proxy.httpPort}` };
}

type Site = Awaited<ReturnType<typeof startSite>>;

/** Waits for a certificate. Returns a function that sends requests over TLS like a browser that trusts `ca`. */
async function connectSecurely({ proxy }: Site, ca: () => Promise<string>) {
  const url = `${SITE}:${proxy.httpsPort}`;
  const get = async (path = '/', method = 'GET') =>
    requestRaw(url + path, { method, headers: { host: 'site.test' }, ca: await ca() });
  await waitFor('a certificate', () => get().then(() => true, () => false));

  return get;
}

test('web’s responses have every security header once behind the proxy', async () => {
  const site = await startSite(SITE);
  const get = await connectSecurely(site, site.proxy.readRoot);
  const page = await get();
  const asset = /\/assets\/[^"]+\.js/.exec(page.body)?.[0] ?? '';
  const responses: ReadonlyArray<readonly [status: number, kind: ResponseKind, response: RawResponse]> = [
    [200, 'page', page],
    [200, 'page', await get('/', 'HEAD')],
    [404, 'page', await get('/missing')],
    [200, 'other', await get(asset)],
    [200, 'other', await get(apiPaths.live)],
    [302, 'other', await get('/industries')],
    [421, 'other', await requestRaw(site.proxy.plainUrl, { headers: { host: 'elsewhere.test' } })],
    [431, 'other', await requestRaw(site.proxy.plainUrl, { headers: { 'x-long': 'x'.repeat(20_000) } })],
  ];

  for (const [status, kind, response] of responses) {
    expect(response.status).toBe(status);
    expect(listHeaderErrors(response.pairs, { kind, isHttps: true }), String(status)).toEqual([]);
  }
});

test('the proxy’s redirects, refusals and errors have every security header once', async () => {
  const { web, proxy, httpUrl } = await startSite(SITE);
  const submit = (request: RawRequest = {}) =>
    requestRaw(proxy.plainUrl + apiPaths.contactSubmissions, { method: 'POST', ...request });
  const redirects = [
    await requestRaw(`${httpUrl}/about?from=here`, { headers: { host: 'site.test' } }),
    await requestRaw(httpUrl, { headers: { host: 'elsewhere.test' } }),
  ];
  const pages = [
    await requestRaw(`${httpUrl}/contact`, { method: 'POST', body: 'a=b' }),
    await requestRaw(`${proxy.plainUrl}/contact`, { method: 'POST', headers: { 'content-length': '100000000' } }),
  ];
  const lengths = ['66000', '70000', '99999', '066000', '100000'];
  const chunked = { headers: { 'transfer-encoding': 'chunked' }, body: '{}' };
  const methods = ['POST', 'PUT', 'PATCH', 'DELETE', 'GET'];
  const problems = [
    await requestRaw(httpUrl + apiPaths.contactSubmissions, { method: 'POST' }),
    await requestRaw(`${httpUrl}${apiPrefix}none`),
    // The proxy responds before the body arrives.
    ...(await Promise.all(lengths.map((length) => submit({ headers: { 'content-length': length } })))),
    ...(await Promise.all(methods.map((method) => submit({ method, ...chunked })))),
  ];
  await web.stop();
  const [unavailablePage, unavailableCall] = await Promise.all([requestRaw(proxy.plainUrl), submit()]);
  pages.push(unavailablePage);
  problems.push(unavailableCall);

  expect(redirects.map(({ status, header }) => [status, header('location')])).toEqual([
    [308, `${SITE}/about?from=here`],
    [308, `${SITE}/`],
  ]);
  expect(pages.map(({ status }) => status)).toEqual([403, 413, 503]);
  expect(unavailablePage.header('retry-after')).toBe('10');
  for (const { body } of pages) {
    expect(body).toMatch(/^<!doctype html>[^]*<h1>/);
    expect(body).not.toMatch(/style|script|[{}]/);
  }
  expect(problems.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
    ...Array<object>(2).fill({ status: 403, code: 'wrong-address' }),
    ...lengths.map(() => ({ status: 413, code: 'body-too-large' })),
    ...methods.map(() => ({ status: 411, code: 'length-required' })),
    { status: 503, code: 'unavailable' },
  ]);
  for (const { status, body, header } of problems) {
    expect(body).toContain(`"status":${status}`);
    expect(header('content-type')).toBe('application/problem+json; charset=utf-8');
  }
  const permissions = makeSecurityHeaders({ publicUrl: SITE })['permissions-policy'];
  for (const response of [...redirects, ...pages, ...problems]) {
    expect(listHeaderErrors(response.pairs, { kind: 'other', isHttps: true })).toEqual([]);
    expect(response.header('permissions-policy')).toBe(permissions);
    expect(response.header('cache-control')).toBe('no-store');
  }
});

test('the proxy forwards calls without a body, bodies up to web’s limit, and slightly larger ones, which web refuses', async () => {
  const { proxy } = await startSite(SITE);
  const post = async (bytes: number) => {
    const { status } = await requestRaw(proxy.plainUrl + apiPaths.contactSubmissions, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': String(bytes) },
      body: JSON.stringify(makeContactBody()).padEnd(bytes),
    });

    return status;
  };

  expect(await post(MAX_BODY_BYTES)).toBe(201);
  expect(await post(MAX_BODY_BYTES + 1)).toBe(413);
  // This call to the gate has no Content-Length.
  expect((await fetch(proxy.plainUrl + apiPaths.insightsSession, { method: 'DELETE' })).status).toBe(204);
});

test('aliases have certificates and redirect every request to PUBLIC_URL, both in web and in the proxy', async () => {
  const site = await startSite(SITE, { PUBLIC_ALIASES: 'alias.test, Other.test', HSTS_SUBDOMAINS: 'true' });
  const { proxy, web } = site;
  await connectSecurely(site, proxy.readRoot);
  const send = async (url: string, host: string, method = 'GET') =>
    requestRaw(`${url}/about?a=b`, { method, headers: { host }, ca: await proxy.readRoot() });
  await waitFor('a certificate', () => send(`https://alias.test:${proxy.httpsPort}`, 'alias.test').then(() => true, () => false));

  const secure = await send(`https://alias.test:${proxy.httpsPort}`, 'alias.test');
  const others = await Promise.all([
    send(`http://alias.test:${proxy.httpPort}`, 'ALIAS.test'),
    send(`http://alias.test:${proxy.httpPort}`, `other.test:${proxy.httpPort}`, 'DELETE'),
    send(web.origin, 'alias.test'),
    send(web.origin, 'other.test:8443', 'DELETE'),
  ]);
  for (const response of [secure, ...others]) {
    expect([response.status, response.header('location')]).toEqual([308, `${SITE}/about?a=b`]);
    expect(response.header('cache-control')).toBe('no-store');
  }
  // HSTS_SUBDOMAINS covers only the subdomains of PUBLIC_URL.
  expect(secure.header('strict-transport-security')).toBe('max-age=63072000');
  expect((await send(web.origin, 'www.alias.test')).status).toBe(421);
});

test('without HTTPS, the site is served at PUBLIC_URL, and other hosts redirect to it', async () => {
  const { proxy, httpUrl } = await startSite('http://site.test');
  const page = await requestRaw(`${httpUrl}/about`, { headers: { host: 'site.test' } });
  const redirect = await requestRaw(`${httpUrl}/about`, { headers: { host: 'localhost' } });

  expect([page.status, redirect.status]).toEqual([200, 308]);
  expect(redirect.header('location')).toBe('http://site.test/about');
  for (const response of [page, redirect]) {
    expect(response.header('strict-transport-security')).toBeUndefined();
  }
  expect(await proxy.checkHealth()).toBe(0);
});

test('a site whose PUBLIC_URL is at localhost is not served on the public port', async () => {
  const { proxy, httpUrl } = await startSite('http://localhost:3000');
  const redirect = await requestRaw(`${httpUrl}/contact`, { headers: { host: 'localhost:3000' } });

  expect(redirect.status).toBe(308);
  expect(redirect.header('location')).toBe('http://localhost:3000/contact');
  expect((await requestRaw(`${proxy.plainUrl}/contact`)).status).toBe(200);
});

test('the proxy serves the operator’s certificate, and a renewed one after a reload', async () => {
  const authority = await createCertificateAuthority();
  onTestFinished(() => authority.remove());
  const folder = makeTemporaryFolder();
  const renew = async () => {
    const { key, cert } = await authority.issue('DNS:site.test');
    await writeFile(join(folder, 'certificate.pem'), cert);
    await writeFile(join(folder, 'key.pem'), key);

    return new X509Certificate(cert).fingerprint256;
  };
  const first = await renew();
  const site = await startSite(SITE, { TLS: 'files', PROXY_CERTIFICATES: folder });
  const get = await connectSecurely(site, () => readFile(authority.file, 'utf8'));
  const readServed = () =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(
        { host: '127.0.0.1', port: site.proxy.httpsPort, servername: 'site.test', rejectUnauthorized: false },
        () => {
          resolve(socket.getPeerCertificate().fingerprint256);
          socket.destroy();
        },
      ).on('error', reject);
    });

  expect((await get('/about')).body).toContain(`${SITE}/about`);
  expect(await readServed()).toBe(first);

  const second = await renew();
  expect(await site.proxy.reload()).toBe(0);
  expect(await readServed()).toBe(second);

  // This key belongs to another certificate, so the proxy keeps the old pair.
  await writeFile(join(folder, 'key.pem'), (await authority.issue('DNS:site.test')).key);
  expect(await site.proxy.reload()).toBe(1);
  expect(await readServed()).toBe(second);
});

test('limits count requests by the visitor’s address, whatever address the headers claim', async () => {
  const { proxy } = await startSite(SITE, { RATE_LIMIT_CONTACT: '2/10m' });
  const statuses = [];
  for (const claimed of ['198.18.0.1', '198.18.0.2', '198.18.0.3']) {
    const { status } = await requestRaw(proxy.plainUrl + apiPaths.contactSubmissions, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': claimed,
        'x-forwarded-host': 'elsewhere.test',
        forwarded: `for=${claimed}`,
      },
      body: JSON.stringify(makeContactBody()),
    });
    statuses.push(status);
  }

  expect(statuses).toEqual([201, 201, 429]);
});
