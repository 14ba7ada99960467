import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { pathTo } from '../../shared/paths.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { startWebProcess, type WebProcess } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';

/** Of a client, and of a network. */
const RATE_LIMIT_CONTACT = '2/10m';

const COOKIE_SECRET = 's'.repeat(32);

let databaseUrl: string;
let web: WebProcess;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
  web = await startWebProcess({
    DATABASE_URL: databaseUrl,
    TRUST_PROXY: '127.0.0.1',
    RATE_LIMIT_CONTACT,
    COOKIE_SECRET,
  });

  return () => web.stop();
});

/** Posts a new request; the status of its response and the request. */
async function post(client: string, changes: Record<string, unknown> = {}) {
  const body = makeContactBody(changes);
  const response = await postContact(web.origin, body, client);
  if (response.status === 201) expect(await response.json()).toEqual({ id: body.id });

  return { body, status: response.status };
}

/** Why a request is held, and how many deliveries it has. */
async function findFate(where: { readonly id: string } | { readonly company: string }) {
  const database = openDatabase(databaseUrl, onTestFinished);
  const row = await database('contact_submissions').where(where).first();
  const deliveries = await database('deliveries').whereIn('submission_id', row ? [row.id] : []);

  return [row?.quarantine_reason ?? null, deliveries.length];
}

/** Three mails to sales, the export and the acknowledgment. */
const passed = [null, 5];

test('beyond the budget of a network its requests are held, whoever of it sends them; the client’s own limit refuses', async () => {
  const getClient = (count: number) => `198.51.100.${count}`;
  for (const count of [1, 2]) {
    const within = await post(getClient(count));
    expect([within.status, await findFate(within.body)]).toEqual([201, passed]);
  }
  for (const client of [getClient(3), getClient(3), getClient(1)]) {
    const beyond = await post(client);
    expect([beyond.status, await findFate(beyond.body)]).toEqual([201, ['network-rate', 0]]);
    expect((await postContact(web.origin, beyond.body, client)).status).toBe(200);
  }
  expect((await post(getClient(3))).status).toBe(429);
});

test('of one client’s posts eight are under way at a time and a few wait, the rest get 429 at once, and others get theirs', async () => {
  const client = '203.0.115.1';
  const body = makeContactBody();
  const database = openDatabase(databaseUrl, onTestFinished);
  const transaction = await database.transaction();
  // Its posts wait for the end of this.
  await transaction('contact_submissions').insert({ ...body, submitted_at: new Date() });
  const statuses: number[] = [];
  const posts = Array.from({ length: 60 }, async () => {
    const response = await postContact(web.origin, body, client);
    statuses.push(response.status);

    return response;
  });
  // Twice the limit of two may wait.
  await waitFor('the refusals', () => statuses.length === 48);

  expect(new Set(statuses)).toEqual(new Set([429]));
  expect((await post('203.0.116.1')).status).toBe(201);
  await transaction.rollback();
  const responses = await Promise.all(posts);
  expect(statuses.filter((status) => status === 200)).toHaveLength(11);
  expect(statuses.filter((status) => status === 201)).toHaveLength(1);
  const refused = responses.find(({ status }) => status === 429);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await postContact(web.origin, body, client)).status).toBe(200);
});

test('of one network four open valid links at a time, the rest get 429 at once, and a request is stored', async () => {
  const { body } = await post('203.0.121.1');
  const url = web.origin + pathTo.followUp(signLinkToken('follow-up', body.id, [COOKIE_SECRET]));
  const database = openDatabase(databaseUrl, onTestFinished);
  const transaction = await database.transaction();
  // What the pages read waits for this.
  await transaction.raw('lock table submission_events in access exclusive mode');
  const statuses: number[] = [];
  const pages = Array.from({ length: 60 }, async (_, index) => {
    const response = await fetch(url, { headers: { 'x-forwarded-for': `203.0.122.${index}` } });
    statuses.push(response.status);
  });
  await waitFor('the refusals', () => statuses.length >= 56);

  expect(new Set(statuses)).toEqual(new Set([429]));
  expect((await post('203.0.123.1')).status).toBe(201);
  await transaction.rollback();
  await Promise.all(pages);
  expect(statuses.filter((status) => status === 429)).toHaveLength(56);
  await waitFor('the page, once its network opens few', async () => {
    const { status } = await fetch(url, { headers: { 'x-forwarded-for': '203.0.122.1' } });

    // 503 where this machine is busy.
    return status === 200;
  });
});
