import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { pathTo } from '../../shared/paths.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { startWebProcess, type WebProcess } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';

/** The limit per client and per network. */
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

/** Posts a new request. Returns its body and the response status. */
async function post(client: string) {
  const body = makeContactBody();
  const response = await postContact(web.origin, body, client);
  if (response.status === 201) expect(await response.json()).toEqual({ id: body.id });

  return { body, status: response.status };
}

test('of 60 concurrent posts of one request, eight run, four wait, the rest get 429 immediately, and one row is stored', async () => {
  const client = '203.0.115.1';
  const body = makeContactBody();
  const database = openDatabase(databaseUrl, onTestFinished);
  const transaction = await database.transaction();
  // The client's posts wait for this transaction to end.
  await transaction('contact_submissions').insert({ ...body, submitted_at: new Date() });
  const statuses: number[] = [];
  const posts = Array.from({ length: 60 }, async () => {
    const response = await postContact(web.origin, body, client);
    statuses.push(response.status);

    return response;
  });
  // Four more posts may wait, which is twice the limit of two.
  await waitFor('48 refusals', () => statuses.length === 48);

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

test('one network can open four valid links at a time and gets 429 for more, and requests from elsewhere are stored', async () => {
  const { body } = await post('203.0.121.1');
  const url = web.origin + pathTo.followUp(signLinkToken('follow-up', body.id, [COOKIE_SECRET]));
  const database = openDatabase(databaseUrl, onTestFinished);
  const transaction = await database.transaction();
  // The pages' queries wait for this transaction.
  await transaction.raw('lock table submission_events in access exclusive mode');
  const statuses: number[] = [];
  const pages = Array.from({ length: 60 }, async (_, index) => {
    const response = await fetch(url, { headers: { 'x-forwarded-for': `203.0.122.${index}` } });
    statuses.push(response.status);
  });
  await waitFor('56 refusals', () => statuses.length >= 56);

  expect(new Set(statuses)).toEqual(new Set([429]));
  expect((await post('203.0.123.1')).status).toBe(201);
  await transaction.rollback();
  await Promise.all(pages);
  expect(statuses.filter((status) => status === 429)).toHaveLength(56);
  await waitFor('the page once its network opens fewer links', async () => {
    const { status } = await fetch(url, { headers: { 'x-forwarded-for': '203.0.122.1' } });

    // The status is 503 while this machine is busy.
    return status === 200;
  });
});
