import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { apiPaths, siteFilePaths, pathTo, routePatterns } from '../../shared/paths.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { PASSWORD, readCookie, tryPassword } from '../support/insights-gate.ts';
import { readQueries, tellQueries } from '../support/read-queries.ts';
import { createRedisServer } from '../support/redis-server.ts';
import { startWebProcess, type WebProcess } from '../support/site-process.ts';
import { pagePaths } from '../support/site-content.ts';
import { waitFor } from '../support/wait-for.ts';
import { proveWork } from '../support/work-proof.ts';

/*
 * The statements a web process sends for each kind of request, whoever in it sends them, also after the
 * response. A change here is a change of what a request costs.
 */

const COOKIE_SECRET = 's'.repeat(32);
let databaseUrl: string;
let web: WebProcess;

/** Asks PostgreSQL once, and thereby tells that what was asked before has been told. */
async function markEnd(): Promise<void> {
  expect((await fetch(web.origin + apiPaths.ready)).status).toBe(200);
}

/** The statements of a request. The ones of the mark, which the start found out, are left out. */
async function listQueries(ask: () => Promise<unknown>): Promise<string[]> {
  const before = readQueries(web.output()).length;
  await ask();
  await markEnd();
  const queries = await waitFor('the mark', () => {
    const told = readQueries(web.output()).slice(before);

    return told.slice(-mark.length).join() === mark.join() && told;
  });

  return queries.slice(0, -mark.length);
}

let mark: readonly string[] = [];

beforeAll(async () => {
  const redis = await createRedisServer();
  await redis.start();
  databaseUrl = await createMigratedDatabase();
  const settings = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis.url,
    COOKIE_SECRET,
    INSIGHTS_PASSWORD: PASSWORD,
    TRUST_PROXY: '127.0.0.1',
  };
  web = await startWebProcess(settings, [...tellQueries, 'server/main.ts']);
  // What the start asks is over with the first response that comes after it; then one mark is counted.
  await markEnd();
  await postContact(web.origin, makeContactBody());
  const before = readQueries(web.output()).length;
  await markEnd();
  mark = await waitFor('the mark', () => {
    const told = readQueries(web.output()).slice(before);

    return told.length > 0 && told;
  });

  return async () => {
    await web.stop();
    await redis.remove();
  };
});

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(web.origin + path, { headers }).then((response) => response.text());
const press = (path: string) => fetch(web.origin + path, { method: 'POST' });
const postForm = (path: string, fields: Readonly<Record<string, string>>) =>
  fetch(web.origin + path, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
  });

describe('no statement is sent', () => {
  test.each([
    ...pagePaths,
    '/no-such-page',
    `${routePatterns.insights}?q=data`,
    apiPaths.insightsArticles,
    apiPaths.contactChallenge,
    apiPaths.live,
    ...Object.values(siteFilePaths),
  ])('for %s', async (path) => {
    expect(await listQueries(() => get(path))).toEqual([]);
  });

  test('for the files of a page', async () => {
    const files = [...(await get('/')).matchAll(/"(\/assets\/[^"\s]+)"/g)].map(([, path = '']) => path);

    expect(files.length).toBeGreaterThan(3);
    expect(await listQueries(() => Promise.all(files.map((path) => get(path))))).toEqual([]);
  });

  test('for the password, nor for what is behind it', async () => {
    const queries = await listQueries(async () => {
      const cookie = readCookie(await tryPassword(web.origin, { password: PASSWORD })) ?? '';
      await get(routePatterns.insights, { cookie });
      await get(`${routePatterns.insights}?q=data`, { cookie });
      await get(apiPaths.insightsArticles, { cookie });
      await tryPassword(web.origin, { password: 'another one' });
    });

    expect(queries).toEqual([]);
  });

  test('for links of mails that are not ours', async () => {
    const links = [pathTo.followUp('x'), pathTo.newsletterConfirmation('x'), pathTo.newsletterUnsubscription('x')];

    for (const link of links) {
      expect(await listQueries(() => get(link))).toEqual([]);
      expect(await listQueries(() => press(link))).toEqual([]);
    }
  });

  test('for a request that is refused', async () => {
    expect(await listQueries(() => postContact(web.origin, { email: 'nobody' }))).toEqual([]);
    expect(await listQueries(() => postForm(routePatterns.contact, { name: '' }))).toEqual([]);
  });
});

const insertion = expect.stringMatching(/^with submission as \(insert into "contact_submissions"/);

const lock = expect.stringContaining('pg_advisory_xact_lock');

test('a contact request costs two, its lock included, in its transaction', async () => {
  expect(await listQueries(() => postContact(web.origin, makeContactBody()))).toEqual([
    'BEGIN;',
    lock,
    insertion,
    'COMMIT;',
  ]);
});

test('a plain form costs one more, which looks up the same content', async () => {
  const fields = { name: 'Ada', email: 'ada@example.org', company: 'Plain Sweets' };

  expect(await listQueries(() => postForm(routePatterns.contact, fields))).toEqual([
    'BEGIN;',
    lock,
    expect.stringMatching(/^select "id" from "contact_submissions"/),
    insertion,
    'COMMIT;',
  ]);
});

/** What a statement does, and to which table first. */
const shorten = (sql: string): string => {
  if (sql.includes('pg_advisory_xact_lock')) return 'lock';
  const [, verb, table] = /\b(insert into|update|delete from|from)\s+"?(\w+)/.exec(sql) ?? [];

  return verb === undefined ? sql : `${verb} ${table}`;
};

const listShort = async (ask: () => Promise<unknown>) => (await listQueries(ask)).map(shorten);

describe('a contact request', () => {
  test('that repeats another is looked up once it could not be inserted', async () => {
    const body = makeContactBody();
    await postContact(web.origin, body);

    expect(await listShort(() => postContact(web.origin, body))).toEqual([
      ...['BEGIN;', 'lock', 'insert into contact_submissions', 'from contact_submissions', 'COMMIT;'],
    ]);
  });

  test('that is held is looked up before it is inserted', async () => {
    const body = makeContactBody({ spam: { honeypot: 'x' } });

    expect(await listShort(() => postContact(web.origin, body))).toEqual([
      ...['BEGIN;', 'lock', 'from contact_submissions', 'insert into contact_submissions', 'COMMIT;'],
    ]);
  });

  test('with a proof of work costs two more, which note that it is spent', async () => {
    const proof = await proveWork(web.origin);
    const body = makeContactBody({ spam: { filled_in_ms: 500, proof } });

    expect(await listShort(() => postContact(web.origin, body))).toEqual([
      ...['BEGIN;', 'lock', 'from contact_submissions', 'insert into spent_proofs'],
      ...['insert into contact_submissions', 'COMMIT;'],
    ]);
  });
});

test('a request over its client’s limit opens no transaction: two statements look up a repeat', async () => {
  const client = '198.51.100.7';
  const first = makeContactBody();
  await postContact(web.origin, first, client);
  for (let count = 1; count < 10; count += 1) await postContact(web.origin, makeContactBody(), client);
  const looks = ['lock', 'from contact_submissions'];

  expect(await listShort(() => postContact(web.origin, makeContactBody(), client))).toEqual(looks);
  expect(await listShort(() => postContact(web.origin, first, client))).toEqual(looks);
});

test('the link of a follow-up mail costs one, and its button two in a transaction and a look-up of what is under way', async () => {
  const body = makeContactBody();
  await postContact(web.origin, body);
  const link = pathTo.followUp(signLinkToken('follow-up', body.id, [COOKIE_SECRET]));

  expect(await listShort(() => get(link))).toEqual(['from contact_submissions']);
  expect(await listShort(() => press(link))).toEqual([
    ...['BEGIN;', 'update contact_submissions', 'update deliveries', 'COMMIT;'],
    ...['from contact_submissions', 'from deliveries'],
  ]);
});

test('a subscription costs three in a transaction, and two where its mail is on the way', async () => {
  const subscribe = () =>
    fetch(web.origin + apiPaths.newsletterSubscriptions, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'reader@example.org' }),
    });
  const looks = ['BEGIN;', 'insert into newsletter_subscriptions', 'from deliveries'];

  expect(await listShort(subscribe)).toEqual([...looks, 'insert into deliveries', 'COMMIT;']);
  expect(await listShort(subscribe)).toEqual([...looks, 'COMMIT;']);
});

test('the links of a subscription cost one each, and their buttons one more', async () => {
  const database = openDatabase(databaseUrl, onTestFinished);
  const [row] = await database('newsletter_subscriptions')
    .insert({ email: 'links@example.org' })
    .returning<Array<{ id: string }>>('id');
  const id = row?.id ?? '';
  const confirm = pathTo.newsletterConfirmation(signLinkToken('newsletter-confirm', id, [COOKIE_SECRET]));
  const end = pathTo.newsletterUnsubscription(signLinkToken('newsletter-unsubscribe', id, [COOKIE_SECRET]));

  const look = ['from newsletter_subscriptions'];

  for (const link of [confirm, end]) {
    expect(await listShort(() => get(link))).toEqual(look);
    expect(await listShort(() => press(link))).toEqual(['update newsletter_subscriptions', ...look]);
  }
});
