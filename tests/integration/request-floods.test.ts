import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { proofHeader } from '../../shared/contact/spam-signals.ts';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { apiPaths, pathTo, routePatterns } from '../../shared/paths.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { postForm } from '../support/insights-gate.ts';
import { startWebProcess, type WebProcess } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { proveWork } from '../support/work-proof.ts';

/** Two a client, so six a network and twenty of all together. */
const RATE_LIMIT_CONTACT = '2/10m';
const NETWORK_LIMIT = 6;
const TOTAL_LIMIT = 20;

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

const wantsProof = (response: Response) => response.headers.get(proofHeader) === 'wanted';

/** Posts a new request; its response and the request. */
async function post(client: string, changes: Record<string, unknown> = {}) {
  const body = makeContactBody(changes);
  const response = await postContact(web.origin, body, client);

  return { body, status: response.status, wantsProof: wantsProof(response), response };
}

async function findFate(id: string) {
  const database = openDatabase(databaseUrl, onTestFinished);
  const row = await database('contact_submissions').where({ id }).first();
  const deliveries = await database('deliveries').where({ submission_id: id });

  return {
    isHeld: row?.quarantined_at !== null,
    reason: row?.quarantine_reason,
    priorities: [...new Set(deliveries.map(({ priority }) => priority))],
  };
}

const passed = (priority: number) => ({ isHeld: false, reason: null, priorities: [priority] });
const held = (reason: string) => ({ isHeld: true, reason, priorities: [] });

describe.each([
  ['an IPv6 /48', (count: number) => `2001:db8:1:${count.toString(16)}::1`],
  ['an IPv4 /24', (count: number) => `198.51.100.${count}`],
])('beyond the limit of %s', (_network, makeClient) => {
  test('a request is held until it has a proof of work; those before are sent in their order', async () => {
    const within = [];
    for (let count = 1; count <= NETWORK_LIMIT; count += 1) within.push(await post(makeClient(count)));
    const beyond = await post(makeClient(99));

    expect(within.map(({ status, wantsProof: wants }) => [status, wants])).toEqual(
      within.map(() => [201, false]),
    );
    const fates = await Promise.all(within.map(({ body }) => findFate(body.id)));
    expect(fates).toEqual(within.map((_, index) => passed(index)));
    expect([beyond.status, await beyond.response.json(), beyond.wantsProof]).toEqual([
      201,
      { id: beyond.body.id },
      true,
    ]);
    expect(await findFate(beyond.body.id)).toEqual(held('network-rate'));

    // The client's own limit is used up by then, which changes nothing for a repeat.
    expect((await post(makeClient(99))).status).toBe(201);
    expect((await post(makeClient(99))).status).toBe(429);
    const repeat = await postContact(web.origin, beyond.body, makeClient(99));
    expect([repeat.status, wantsProof(repeat)]).toEqual([200, true]);
    const settled = { ...beyond.body, spam: { proof: await proveWork(web.origin) } };
    const response = await postContact(web.origin, settled, makeClient(99));
    expect([response.status, wantsProof(response)]).toEqual([200, false]);
    // Its network has sent eight by then, which decides its priority.
    expect(await findFate(beyond.body.id)).toMatchObject({ isHeld: false, priorities: [7] });
  });

  test('a request with a proof of work passes at once, after the others', async () => {
    const spam = { proof: await proveWork(web.origin) };
    const { body, status, wantsProof: wants } = await post(makeClient(100), { spam });

    expect([status, wants]).toEqual([201, false]);
    expect(await findFate(body.id)).toMatchObject({ isHeld: false, priorities: [8] });
  });
});

test('after a hundred from one network the first request of another passes, and goes first', async () => {
  // Ten requests from each /64 of a /48.
  const flood = Array.from({ length: 100 }, (_, count) => post(`2001:db8:2:${count % 10}::1`));
  const statuses = (await Promise.all(flood)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([201, 429]));
  const { body, status } = await post('203.0.113.1');

  expect(status).toBe(201);
  expect(await findFate(body.id)).toEqual(passed(0));
});

test('a proof of work restores the priority of a network’s first request', async () => {
  const client = '203.0.114.1';
  const message = 'https://a.example https://b.example https://c.example';
  const { body, wantsProof: wants } = await post(client, { message });
  expect([wants, await findFate(body.id)]).toEqual([true, held('links')]);

  const spam = { proof: await proveWork(web.origin) };
  expect((await postContact(web.origin, { ...body, spam }, client)).status).toBe(200);
  expect(await findFate(body.id)).toMatchObject({ isHeld: false, priorities: [0] });
});

test('requests that one network releases by proofs go one after the other, wherever they came from', async () => {
  const message = 'https://a.example https://b.example https://c.example';
  const bodies = [];
  for (const client of ['203.0.116.1', '203.0.117.1', '203.0.118.1']) {
    bodies.push((await post(client, { message })).body);
  }

  const priorities = [];
  for (const body of bodies) {
    const spam = { proof: await proveWork(web.origin) };
    expect((await postContact(web.origin, { ...body, spam }, '203.0.119.1')).status).toBe(200);
    priorities.push((await findFate(body.id)).priorities);
  }

  expect(priorities).toEqual([[0], [1], [2]]);
});

test('a client that fills the honeypot is not asked for a proof, and none helps', async () => {
  const { body, wantsProof: wants } = await post('198.51.100.150', { spam: { honeypot: 'Offer' } });
  const proof = await proveWork(web.origin);
  const repeat = await postContact(web.origin, { ...body, spam: { proof } }, '198.51.100.150');

  expect([wants, wantsProof(repeat)]).toEqual([false, false]);
  expect(await findFate(body.id)).toEqual(held('honeypot,network-rate'));
});

test('beyond the limit of all together a request of any network is held, also without JavaScript', async () => {
  let count = 0;
  const next = () => post(`192.0.${(count += 1)}.1`);
  let last = await next();
  while (!last.wantsProof && count <= TOTAL_LIMIT) last = await next();
  expect(await findFate(last.body.id)).toEqual(held('total-rate'));

  const fields = { name: 'Ada', email: 'ada@example.org', company: 'Plain Sweets' };
  const response = await postForm(web.origin, routePatterns.contact, fields, { client: '192.0.200.1' });
  expect([response.status, response.headers.get('location')]).toEqual([303, '/contact?sent=1']);
  const database = openDatabase(databaseUrl, onTestFinished);
  const row = await database('contact_submissions').where({ company: fields.company }).first();
  expect(row?.quarantine_reason).toBe('total-rate');
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

test('however many ask whether the site is ready, one at a time reads the database, and a request is stored', async () => {
  const database = openDatabase(databaseUrl, onTestFinished);
  const transaction = await database.transaction();
  // What the checks read waits for this.
  await transaction.raw('lock table knex_migrations in access exclusive mode');
  const countWaiting = async () => {
    const { rows } = await database.raw<{ rows: unknown[] }>(
      "select from pg_stat_activity where application_name = 'web' and wait_event_type = 'Lock'",
    );

    return rows.length;
  };
  const checks = Array.from({ length: 60 }, () => fetch(web.origin + apiPaths.ready));
  await waitFor('a check to wait', async () => (await countWaiting()) > 0);

  expect((await post('203.0.120.1')).status).toBe(201);
  // A reading is given up after a second, and the next one begins.
  expect(await countWaiting()).toBeLessThan(5);
  await transaction.rollback();
  await Promise.all(checks);
  expect((await fetch(web.origin + apiPaths.ready)).status).toBe(200);
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
