import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { apiPaths, siteFilePaths, pathTo } from '../../shared/paths.ts';
import { makeContactBody } from '../support/contact-request.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { listHeaderErrors, type ResponseKind } from '../support/header-rules.ts';
import { PASSWORD } from '../support/insights-gate.ts';
import { openWeb, openWebServer, type OpenWeb } from '../support/open-site.ts';
import { requestRaw, sendText, type RawResponse, type RawRequest } from '../support/raw-http.ts';

const PUBLIC_URL = 'https://www.example.com';
const COOKIE_SECRET = 'a secret of thirty-two characters';
const settings = {
  PUBLIC_URL,
  COOKIE_SECRET,
  INSIGHTS_PASSWORD: PASSWORD,
  RATE_LIMIT_CONTACT: '1/10m',
  TRUST_PROXY: '127.0.0.1',
};

let web: OpenWeb;
/** A web server whose PostgreSQL is down. */
let withoutDatabase: OpenWeb;
const sentBody = makeContactBody();
const tokens = { known: '', unknown: signLinkToken('follow-up', randomUUID(), [COOKIE_SECRET]) };
let unlockedCookie = '';

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
const postJson = (body: unknown, headers: Record<string, string> = {}): RawRequest => ({
  method: 'POST',
  headers: { ...json, ...headers },
  body: JSON.stringify(body),
});
const postForm = (
  fields: Readonly<Record<string, string>>,
  headers: Record<string, string> = {},
): RawRequest => ({
  method: 'POST',
  headers: { ...form, ...headers },
  body: new URLSearchParams(fields).toString(),
});
const get = (path: string, options?: RawRequest) => requestRaw(web.origin + path, options);
const fields = { name: 'Ada', email: 'ada@example.org', company: 'Sweets' };

beforeAll(async () => {
  const started = [
    openWebServer({ ...settings, DATABASE_URL: await createMigratedDatabase() }),
    openWebServer({ ...settings, DATABASE_URL: 'postgres://127.0.0.1:1/none' }),
  ] as const;
  [web, withoutDatabase] = await Promise.all(started);
  const response = await get(apiPaths.contactSubmissions, postJson(sentBody));
  expect(response.status).toBe(201);
  tokens.known = signLinkToken('follow-up', sentBody.id, [COOKIE_SECRET]);
  const unlock = await get(apiPaths.insightsSession, postJson({ password: PASSWORD }));
  unlockedCookie = unlock.header('set-cookie')?.split(';', 1)[0] ?? '';

  return async () => {
    await Promise.all([web.stop(), withoutDatabase.stop()]);
  };
});

/** Returns the path of the home page's start script. */
async function findScript(): Promise<string> {
  const html = (await get('/')).body;

  return /<script type="module" src="([^"]*)"/.exec(html)?.[1] ?? 'none';
}

async function revalidate(path: string): Promise<RawResponse> {
  const first = await get(path);

  return get(path, { headers: { 'if-none-match': first.header('etag') ?? '' } });
}

async function getScript(headers: Record<string, string>): Promise<RawResponse> {
  return get(await findScript(), { headers });
}

type Row = readonly [what: string, status: number, kind: ResponseKind, send: () => Promise<RawResponse>];

const submissions = apiPaths.contactSubmissions;
const withCookie = () => ({ headers: { cookie: unlockedCookie } });

const rows: readonly Row[] = [
  ['a page', 200, 'page', () => get('/')],
  ['a compressed page', 200, 'page', () => get('/', { headers: { 'accept-encoding': 'br' } })],
  ['an unchanged page', 304, 'page', () => revalidate('/about')],
  ['HEAD for a page', 200, 'page', () => get('/about', { method: 'HEAD' })],
  ['the designed not-found page', 404, 'page', () => get('/nope')],
  ['a redirect to the form', 302, 'other', () => get('/industries/retail')],
  ['a redirect to the canonical path', 308, 'other', () => get('/About/')],
  ['a script', 200, 'other', () => getScript({})],
  ['a compressed script', 200, 'other', () => getScript({ 'accept-encoding': 'br' })],
  ['an unchanged script', 304, 'other', async () => revalidate(await findScript())],
  ['a range of a script', 206, 'other', () => getScript({ range: 'bytes=0-9' })],
  ['a range beyond the end of a script', 400, 'other', () => getScript({ range: 'bytes=9999999-' })],
  ['an icon', 200, 'other', () => get('/favicon.svg')],
  ['a missing asset', 404, 'page', () => get('/assets/none.js')],
  ['an unknown API path', 404, 'other', () => get('/api/none')],
  ['an unsupported method', 404, 'other', () => get('/about', { method: 'PUT' })],
  ['TRACE', 404, 'other', () => get('/', { method: 'TRACE' })],
  ...Object.values(siteFilePaths).map((path): Row => [path, 200, 'other', () => get(path)]),
  ['liveness', 200, 'other', () => get(apiPaths.live)],
  ['readiness', 200, 'other', () => get(apiPaths.ready)],
  ['readiness without PostgreSQL', 503, 'other', () => requestRaw(withoutDatabase.origin + apiPaths.ready)],
  ['a repeated request for an assessment', 200, 'other', () => get(submissions, postJson(sentBody))],
  ['invalid fields', 400, 'other', () => get(submissions, postJson({}))],
  ['malformed JSON', 400, 'other', () => get(submissions, { method: 'POST', headers: json, body: '{' })],
  ['a POST from another origin', 403, 'other', () => get(submissions, postJson({}, { origin: 'https://elsewhere.example' }))],
  ['another request’s id', 409, 'other', () => get(submissions, postJson({ ...sentBody, name: 'Other' }))],
  ['a body that is too large', 413, 'other', () => get(submissions, postJson({ message: 'x'.repeat(70_000) }))],
  ['an unsupported content type', 415, 'other', () => get(submissions, { method: 'POST', headers: { 'content-type': 'text/xml' }, body: '<a/>' })],
  ['a request over the limit', 429, 'other', () => get(submissions, postJson(makeContactBody()))],
  ['a request without PostgreSQL', 503, 'other', () => requestRaw(withoutDatabase.origin + submissions, postJson(makeContactBody()))],
  ['another host', 421, 'other', () => get('/', { headers: { host: 'elsewhere.example' } })],
  ['another host, requested by a browser', 421, 'page', () => get('/', { headers: { host: 'elsewhere.example', accept: 'text/html' } })],
  ['a path that can’t be decoded', 404, 'page', () => get('/%zz', { headers: { accept: 'text/html' } })],
  ['the plain form', 303, 'other', () => get('/contact', postForm(fields, { 'x-forwarded-for': '198.18.0.9' }))],
  ['the plain form as JSON', 415, 'other', () => get('/contact', postJson(fields))],
  ['the plain form with invalid fields', 422, 'page', () => get('/contact', postForm({}))],
  ['the plain form over the limit', 429, 'page', () => get('/contact', postForm({ ...fields, name: 'Eve' }))],
  ['the plain form without PostgreSQL', 503, 'page', () => requestRaw(`${withoutDatabase.origin}/contact`, postForm(fields))],
  ['the plain form from another origin', 403, 'page', () => get('/contact', postForm(fields, { origin: 'null' }))],
  ['the locked listing', 200, 'page', () => get('/insights')],
  ['the unlocked listing', 200, 'page', () => get('/insights', withCookie())],
  ['the right password', 204, 'other', () => get(apiPaths.insightsSession, postJson({ password: PASSWORD }))],
  ['a wrong password', 401, 'other', () => get(apiPaths.insightsSession, postJson({ password: 'no' }))],
  ['a wrong password in the plain form', 401, 'page', () => get('/insights', postForm({ password: 'no' }))],
  ['a call that locks the listing', 204, 'other', () => get(apiPaths.insightsSession, { method: 'DELETE' })],
  ['a plain form that locks the listing', 303, 'other', () => get('/insights', postForm({ action: 'lock' }))],
  ['a subscription', 202, 'other', () => get(apiPaths.newsletterSubscriptions, postJson({ email: 'ada@example.org' }))],
  ['a subscription through the plain form', 303, 'other', () => get('/newsletter', postForm({ email: 'ada@example.org' }))],
  ['a subscription through the plain form with an invalid address', 422, 'page', () => get('/newsletter', postForm({ email: 'ada' }))],
  ['a newsletter link with a bad token', 404, 'page', () => get('/newsletter/confirm/none')],
  ['a follow-up link', 200, 'tool', () => get(pathTo.followUp(tokens.known))],
  ['a follow-up link for an unknown request', 404, 'tool', () => get(pathTo.followUp(tokens.unknown))],
  ['a follow-up link without PostgreSQL, requested by a browser', 503, 'tool', () => requestRaw(withoutDatabase.origin + pathTo.followUp(tokens.unknown), { headers: { accept: 'text/html' } })],
  ['a follow-up link without PostgreSQL', 503, 'other', () => requestRaw(withoutDatabase.origin + pathTo.followUp(tokens.unknown))],
  ['input that isn’t HTTP', 400, 'other', () => sendText(web.origin, 'hello\r\n\r\n')],
  ['a request without a host', 400, 'other', () => sendText(web.origin, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n')],
  ['a request with two hosts', 400, 'other', () => sendText(web.origin, 'GET / HTTP/1.1\r\nHost: localhost\r\nHost: elsewhere.example\r\nConnection: close\r\n\r\n')],
  ['another host in the request line', 421, 'other', () => sendText(web.origin, 'GET http://elsewhere.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')],
  ['our host in the request line', 200, 'page', () => sendText(web.origin, `GET ${PUBLIC_URL}/about HTTP/1.1\r\nHost: www.example.com\r\nConnection: close\r\n\r\n`)],
  ['a body with two lengths', 400, 'other', () => sendText(web.origin, 'POST /contact HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n')],
  ['a transfer encoding that doesn’t end with chunked', 400, 'other', () => sendText(web.origin, 'POST /contact HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n')],
  ['an unknown expectation', 200, 'page', () => get('/', { headers: { expect: 'wonders' } })],
  ['excessively long headers', 431, 'other', () => sendText(web.origin, `GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`)],
];

test.each(rows)('%s (%i, %s): the response has every security header once', async (_what, status, kind, send) => {
  const response = await send();

  expect(response.status).toBe(status);
  expect(listHeaderErrors(response.pairs, { kind, isHttps: true })).toEqual([]);
});

test('without HTTPS, no header requires it', async () => {
  const plain = await openWeb({ DATABASE_URL: 'postgres://127.0.0.1:1/none' });
  const response = await requestRaw(plain.origin);

  expect(listHeaderErrors(response.pairs, { kind: 'page', isHttps: false })).toEqual([]);
  expect(response.header('content-security-policy')).not.toContain('upgrade-insecure-requests');
});

test('incomplete headers get 408 after 10 seconds and an incomplete body after 15, with every security header once', async () => {
  const startedAt = performance.now();
  const measure = async (text: string) => {
    const response = await sendText(web.origin, text);

    return { ...response, seconds: (performance.now() - startedAt) / 1_000 };
  };
  const [headers, body] = await Promise.all([
    measure('GET / HTTP/1.1\r\nHost: localhost\r\n'),
    measure('POST /contact HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 99\r\n\r\nname='),
  ]);

  for (const response of [headers, body]) {
    expect(response.status).toBe(408);
    expect(listHeaderErrors(response.pairs, { kind: 'other', isHttps: true })).toEqual([]);
  }
  // The server checks its connections every second, and the machine may be busy.
  expect(headers.seconds).toBeGreaterThanOrEqual(9);
  expect(headers.seconds).toBeLessThan(14);
  expect(body.seconds).toBeGreaterThanOrEqual(14);
  expect(body.seconds).toBeLessThan(19);
});

test.each([
  ['the gate', () => get('/insights'), 'Accept-Encoding, Cookie', undefined],
  ['the unlocked listing', () => get('/insights', withCookie()), 'Accept-Encoding, Cookie', 'noindex'],
  ['a search in the unlocked listing', () => get('/insights?q=a', withCookie()), 'Cookie', 'noindex'],
  ['the response to the newsletter form', () => get('/newsletter', postForm({ email: 'ada' })), 'Cookie', 'noindex'],
])('%s is not cached and depends on the cookie, and search engines may index only the gate', async (_what, send, vary, robots) => {
  const response = await send();

  expect(response.header('cache-control')).toMatch(/^(?:private, )?no-store$/);
  expect(response.header('vary')).toBe(vary);
  expect(response.header('x-robots-tag')).toBe(robots);
});

test('the gate’s cookie is limited to this host and HTTPS, hidden from scripts, and not sent with other sites’ forms', async () => {
  const attempt = postJson({ password: PASSWORD }, { 'x-forwarded-for': '198.18.0.20' });
  const response = await get(apiPaths.insightsSession, attempt);
  const [cookie = '', ...attributes] = response.header('set-cookie')?.split('; ') ?? [];

  expect(cookie).toMatch(/^__Host-insights=/);
  expect(attributes.toSorted()).toEqual(['HttpOnly', 'Max-Age=2592000', 'Path=/', 'SameSite=Lax', 'Secure']);
});
