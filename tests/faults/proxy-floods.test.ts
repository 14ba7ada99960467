import { once } from 'node:events';
import { connect, type ClientHttp2Session } from 'node:http2';
import { expect, onTestFinished } from 'vitest';
import { apiPaths, routePatterns } from '../../shared/paths.ts';
import { makeContactBody } from '../support/contact-request.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { startWeb } from '../support/delivery-fixture.ts';
import { readOpenConnections } from './open-connections.ts';
import { startProxy } from '../support/proxy.ts';
import { requestRaw } from '../support/raw-http.ts';
import { openUnread, postUnread, readStatus } from '../support/unread-posts.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { measure } from './measure.ts';

const PUBLIC_URL = 'https://site.test';
/** How many HTTP/2 streams may be open per connection to the proxy. */
const STREAMS = 200;
/** How many page requests the proxy forwards concurrently. */
const MAX_PAGES = 2_700;

/** Starts a web process behind the proxy with TLS. Returns functions for using the site as a visitor. */
async function startSite() {
  const web = await startWeb({
    DATABASE_URL: await createMigratedDatabase(),
    PUBLIC_URL,
    LEGAL_EMAIL: 'legal@site.test',
    TRUST_PROXY: '127.0.0.0/8',
  });
  const proxy = await startProxy({
    PUBLIC_URL,
    // The proxy reaches the web process by name, as in the stack.
    WEB_HOST: 'localhost',
    PORT: new URL(web.origin).port,
    TLS: 'internal',
  });
  const url = `${PUBLIC_URL}:${proxy.httpsPort}`;
  const headers = { host: new URL(PUBLIC_URL).host };
  const visit = async () => requestRaw(`${url}/contact`, { headers, ca: await proxy.readRoot() });
  const send = async (path: string, type: string, body: string) =>
    requestRaw(url + path, {
      method: 'POST',
      headers: { ...headers, 'content-type': type },
      body,
      ca: await proxy.readRoot(),
    });
  await waitFor('a certificate', () => visit().then(() => true, () => false));

  return {
    proxy,
    visit,
    countConnections: () => readOpenConnections(web.origin),
    post: (path: string, body: object) => send(path, 'application/json', JSON.stringify(body)),
    postForm: (path: string, fields: Record<string, string>) =>
      send(path, 'application/x-www-form-urlencoded', new URLSearchParams(fields).toString()),
  };
}

type Site = Awaited<ReturnType<typeof startSite>>;

/** Opens HTTP/2 connections to the proxy. They are closed when the test ends. */
async function openSessions({ proxy }: Site, count: number, initialWindowSize = 65_535) {
  const ca = await proxy.readRoot();
  const sessions = Array.from({ length: count }, () =>
    connect(`https://127.0.0.1:${proxy.httpsPort}`, {
      ca,
      servername: 'site.test',
      settings: { initialWindowSize },
    }).on('error', () => undefined),
  );
  onTestFinished(() => sessions.forEach((session) => session.destroy()));
  await Promise.all(sessions.map((session) => once(session, 'connect')));

  return sessions;
}

/** Opens as many requests on each connection as the proxy allows. */
const openStreams = (
  sessions: readonly ClientHttp2Session[],
  headers: Readonly<Record<string, string>>,
  endStream: boolean,
) =>
  sessions.flatMap((session) =>
    Array.from({ length: STREAMS }, () =>
      session
        .request({ ':authority': 'site.test', ...headers }, { endStream })
        .on('error', () => undefined),
    ),
  );

const post = {
  ':method': 'POST',
  ':path': apiPaths.contactSubmissions,
  'content-type': 'application/json',
};

faultRow(77, '2,000 posts of unknown length and 800 half-sent posts over HTTP/2: unknown lengths get 411, no post uses a connection to web, and the site works', async () => {
  const site = await startSite();
  const halfSent = openStreams(await openSessions(site, 4), { ...post, 'content-length': '9000' }, false);
  for (const stream of halfSent) stream.write('{');
  const unsized = openStreams(await openSessions(site, 10), post, false);
  for (const stream of unsized) stream.write('{');
  const statuses = await Promise.all(unsized.map(readStatus));

  expect(new Set(statuses)).toEqual(new Set([411]));
  expect(await site.countConnections()).toBeLessThan(10);
  expect((await site.visit()).status).toBe(200);
  expect((await site.post(apiPaths.contactSubmissions, makeContactBody())).status).toBe(201);
  expect(halfSent.filter(({ closed }) => closed)).toEqual([]);
  expect(site.proxy.hasExited()).toBe(false);
});

faultRow(78, '3,200 page requests over HTTP/2 by clients that never read: those beyond 2,700 get 503 with Retry-After, and contact requests are still accepted', async () => {
  const site = await startSite();
  const page = { ':method': 'GET', ':path': '/' };
  const unread = openStreams(await openSessions(site, 16, 0), page, true);
  const statuses = new Map<number, number>();
  for (const stream of unread) {
    void readStatus(stream).then((status) => statuses.set(status, (statuses.get(status) ?? 0) + 1));
  }
  // The client's window has no room for data beyond the headers.
  await waitFor('the pages', () => (statuses.get(200) ?? 0) >= MAX_PAGES, 90_000);

  expect((await site.post(apiPaths.contactSubmissions, makeContactBody())).status).toBe(201);
  const refused = await site.post('/api/elsewhere', {});
  expect(refused.status, JSON.stringify([...statuses])).toBe(503);
  expect(refused.header('retry-after')).toBe('10');
  expect(site.proxy.hasExited()).toBe(false);
  for (const stream of unread) stream.close();
  await waitFor('the site to serve pages again', async () => (await site.visit()).status === 200);
});

/** Posts invalid forms from these addresses, never reads the responses and leaves the connections open. */
async function attackFrom(addresses: readonly string[], { proxy }: Site) {
  const ca = await proxy.readRoot();
  const to = { host: '127.0.0.1', port: proxy.httpsPort };
  const sessions = await Promise.all(
    addresses.map((localAddress) => openUnread({ ...to, localAddress }, { servername: 'site.test', ca })),
  );
  onTestFinished(() => sessions.forEach((session) => session.destroy()));

  return postUnread(sessions, 'site.test');
}

const plainFields = { name: 'Ada', email: 'ada@example.org', company: 'Sweets' };

faultRow(79, '660 invalid forms whose responses are never read: from few networks they block neither API nor form, and from many networks they don’t block the API', async () => {
  const site = await startSite();
  const fewNetworks = [1, 2, 3, 4].flatMap((network) => [1, 2, 3].map((host) => `127.0.${network}.${host}`));
  const manyNetworks = Array.from({ length: 30 }, (_, count) => `127.1.${count}.1`);
  const callApi = () => site.post(apiPaths.contactSubmissions, makeContactBody());

  expect(await attackFrom(fewNetworks, site)).toContain(422);
  const [call, callMs] = await measure(callApi);
  const [form, formMs] = await measure(() => site.postForm(routePatterns.contact, plainFields));
  expect([call.status, form.status]).toEqual([201, 303]);
  expect(Math.max(callMs, formMs)).toBeLessThan(5_000);

  expect(await attackFrom(manyNetworks, site)).toContain(503);
  expect((await callApi()).status).toBe(201);
  expect(site.proxy.hasExited()).toBe(false);
});
