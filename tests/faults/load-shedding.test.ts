import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { apiPaths, pathTo, routePatterns } from '../../shared/paths.ts';
import { makeClient, makeContactBody, postContact } from '../support/contact-request.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { postForm } from '../support/insights-gate.ts';
import { openConnection } from '../support/raw-http.ts';
import { startWebProcess, type WebProcess } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';

const COOKIE_SECRET = 's'.repeat(32);
const busyRequests = fileURLToPath(new URL('busy-requests.ts', import.meta.url));
const body = makeContactBody();

let web: WebProcess;

beforeAll(async () => {
  web = await startWebProcess(
    { DATABASE_URL: await createMigratedDatabase(), COOKIE_SECRET, TRUST_PROXY: '127.0.0.1' },
    ['--import', busyRequests, 'server/main.ts'],
  );
  await postContact(web.origin, body);

  return () => web.stop();
});

interface Call {
  readonly path: string;
  /** Fields to post as a form. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Value to post as JSON. */
  readonly json?: unknown;
}

/** @param lateBy how long the request blocks the event loop when it arrives, in milliseconds */
const call = ({ path, fields, json }: Call, lateBy: number) =>
  fetch(web.origin + path, {
    method: fields || json ? 'POST' : 'GET',
    headers: {
      accept: 'text/html',
      'x-late-by': String(lateBy),
      ...(json ? { 'content-type': 'application/json' } : {}),
    },
    ...(fields ? { body: new URLSearchParams(fields) } : {}),
    ...(json ? { body: JSON.stringify(json) } : {}),
    redirect: 'manual',
  });

const followUp = pathTo.followUp(signLinkToken('follow-up', body.id, [COOKIE_SECRET]));

const search: Call = { path: `${routePatterns.insights}?q=data` };

describe('while the event loop lags by more than 200 ms', () => {
  test.each<[string, number, Call]>([
    ['a search for articles', 200, search],
    ['an invalid newsletter form', 422, { path: routePatterns.newsletter, fields: { email: 'x' } }],
    ['the page that a mail links to', 200, { path: followUp }],
  ])('%s gets 503 with Retry-After instead of %i', async (_what, status, request) => {
    const untilResponded = () =>
      waitFor(`${status}`, async () => (await call(request, 0)).status === status);
    await untilResponded();
    const refusal = await waitFor('503', async () => {
      expect((await call(search, 400)).status).toBe(503);
      const response = await call(request, 0);

      return response.status === 503 && response;
    });

    expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refusal.headers.get('cache-control')).toContain('no-store');
    expect(await refusal.text()).toContain('Too busy right now');
    await untilResponded();
  });

  test.each<[string, number, Call]>([
    ['a page that looks the same to every visitor', 200, { path: routePatterns.home }],
    ['the contact form', 200, { path: routePatterns.contact }],
    ['an invalid contact form', 422, { path: routePatterns.contact, fields: { name: '' } }],
    ['the readiness check', 200, { path: apiPaths.ready }],
    ['a contact request', 201, { path: apiPaths.contactSubmissions, json: makeContactBody() }],
    [
      'a contact request without JavaScript',
      303,
      {
        path: routePatterns.contact,
        fields: { name: 'Ada', email: 'ada@example.org', company: 'Plain Sweets' },
      },
    ],
  ])('%s gets its usual response', async (_what, status, request) => {
    expect((await call(search, 400)).status).toBe(503);

    expect((await call(request, 400)).status).toBe(status);
  });
});

test('of 400 simultaneous searches on separate connections, some get 503', async () => {
  const count = 400;
  await waitFor('the load to end', async () => (await call(search, 0)).status === 200);
  const connections = await Promise.all(Array.from({ length: count }, () => openConnection(web.origin)));
  for (const connection of connections) connection.send(`GET ${search.path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const listStatuses = () => connections.flatMap(({ received }) => /(?<=HTTP\/1\.1 )\d+/.exec(received()) ?? []);
  await waitFor('every response', () => listStatuses().length === count);

  expect(new Set(listStatuses())).toEqual(new Set(['200', '503']));
});

test.each([
  [routePatterns.contact, 12],
  [routePatterns.newsletter, 60],
])('a client whose posts to %s failed %i times gets 429 instead of the form, but can still send a contact request', async (path, limit) => {
  const client = makeClient();
  const fields = { name: 'Ada', email: 'ada@example.org', company: `Failed at ${path}` };
  const fail = (as = client) => postForm(web.origin, path, { ...fields, email: 'ada' }, { client: as });
  for (let count = 0; count < limit; count += 1) {
    // On a busy machine, the event loop may lag even without a blocking request.
    expect([422, 503]).toContain((await fail()).status);
  }

  const response = await fail();
  expect(response.status).toBe(429);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await response.text()).not.toContain('<form');
  await waitFor('another client to get the page', async () => (await fail(makeClient())).status === 422);
  expect((await postForm(web.origin, routePatterns.contact, fields, { client })).status).toBe(303);
});
