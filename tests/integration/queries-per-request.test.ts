import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { apiPaths, siteFilePaths, pathTo, routePatterns } from '../../shared/paths.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { PASSWORD, readCookie, tryPassword } from '../support/insights-gate.ts';
import { createRedisServer } from '../support/redis-server.ts';
import { startWebProcess, type WebProcess } from '../support/site-process.ts';
import { pagePaths } from '../support/site-content.ts';
import { waitFor } from '../support/wait-for.ts';

/*
 * The statements a web process sends for each kind of request, from any part of it, also after the
 * response. A change here is a change of what a request costs.
 */

const COOKIE_SECRET = 's'.repeat(32);
/** Options of Node under which a program logs each statement it sends to PostgreSQL. */
const logQueries = ['--import', fileURLToPath(new URL('../support/log-queries.ts', import.meta.url))];

/** The statements such a program has sent, from all that it wrote. */
const readQueries = (output: string): string[] =>
  [...output.matchAll(/^query (".*")$/gm)].map(([, text = '']) => JSON.parse(text) as string);

let databaseUrl: string;
let web: WebProcess;

/** Makes web query PostgreSQL: once these statements are logged, so are all before them. */
async function markEnd(): Promise<void> {
  expect((await fetch(web.origin + apiPaths.ready)).status).toBe(200);
}

/** Lists the statements of a request, without those of the mark. */
async function listQueries(send: () => Promise<unknown>): Promise<string[]> {
  const before = readQueries(web.output()).length;
  await send();
  await markEnd();
  const queries = await waitFor('the mark', () => {
    const logged = readQueries(web.output()).slice(before);

    return logged.slice(-mark.length).join() === mark.join() && logged;
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
  web = await startWebProcess(settings, [...logQueries, 'server/main.ts']);
  // The statements of the start end before the first response; then one mark is recorded.
  await markEnd();
  await postContact(web.origin, makeContactBody());
  const before = readQueries(web.output()).length;
  await markEnd();
  mark = await waitFor('the mark', () => {
    const logged = readQueries(web.output()).slice(before);

    return logged.length > 0 && logged;
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

interface Cost {
  readonly transactions: number;
  /** Without those that begin and commit a transaction. */
  readonly statements: number;
  /** Those of the statements that insert, update or delete. */
  readonly writes: number;
}

const WRITE = /\b(?:insert into|delete from|update "?\w+"? set)\b/i;

async function measureCost(send: () => Promise<unknown>): Promise<Cost> {
  const queries = await listQueries(send);
  const transactions = queries.filter((sql) => sql === 'BEGIN;').length;
  const commits = queries.filter((sql) => sql === 'COMMIT;').length;
  expect(commits).toBe(transactions);

  return {
    transactions,
    statements: queries.length - transactions - commits,
    writes: queries.filter((sql) => WRITE.test(sql)).length,
  };
}

const asLookup: Cost = { transactions: 0, statements: 1, writes: 0 };

describe('a contact request', () => {
  const asNew: Cost = { transactions: 1, statements: 2, writes: 1 };

  test('costs two statements, the search for a repeat and its insertion with its deliveries, also when it is held', async () => {
    const suspected = makeContactBody({ spam: { honeypot: 'x' } });

    expect(await measureCost(() => postContact(web.origin, makeContactBody()))).toEqual(asNew);
    expect(await measureCost(() => postContact(web.origin, suspected))).toEqual(asNew);
  });

  test('of a plain form costs two more: a lock, and another search under it', async () => {
    const fields = { name: 'Ada', email: 'ada@example.org', company: 'Plain Sweets' };

    expect(await measureCost(() => postForm(routePatterns.contact, fields))).toEqual({ ...asNew, statements: 4 });
  });

  test('that repeats another costs the search alone, which opens no transaction', async () => {
    const body = makeContactBody();
    await postContact(web.origin, body);

    expect(await measureCost(() => postContact(web.origin, body))).toEqual(asLookup);
  });
});

test('a request over its client’s limit costs the search for a repeat alone', async () => {
  const client = '198.51.100.7';
  const first = makeContactBody();
  await postContact(web.origin, first, client);
  for (let count = 1; count < 10; count += 1) await postContact(web.origin, makeContactBody(), client);

  expect(await measureCost(() => postContact(web.origin, makeContactBody(), client))).toEqual(asLookup);
  expect(await measureCost(() => postContact(web.origin, first, client))).toEqual(asLookup);
});

test('the link of a follow-up mail costs four statements, its button four writes in one transaction', async () => {
  // Nobody asked from there before.
  const body = makeContactBody({ email: 'ada@new-here.example' });
  await postContact(web.origin, body);
  const link = pathTo.followUp(signLinkToken('follow-up', body.id, [COOKIE_SECRET]));

  // The request, what was done, its mails, and the times to choose from.
  expect(await measureCost(() => get(link))).toEqual({ transactions: 0, statements: 4, writes: 0 });
  // The lock, the outcomes of the day, the request, its mails, the event and its mail; then the page of a settled request.
  expect(await measureCost(() => press(link))).toEqual({ transactions: 1, statements: 9, writes: 4 });
});

test('a subscription costs four statements in one transaction, and three where its mail is on the way', async () => {
  const subscribe = () =>
    fetch(web.origin + apiPaths.newsletterSubscriptions, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'reader@example.org' }),
    });

  expect(await measureCost(subscribe)).toEqual({ transactions: 1, statements: 4, writes: 2 });
  expect(await measureCost(subscribe)).toEqual({ transactions: 1, statements: 3, writes: 1 });
});

test('the links of a subscription cost one statement each, and their buttons one write more', async () => {
  const database = openDatabase(databaseUrl, onTestFinished);
  const [row] = await database('newsletter_subscriptions')
    .insert({ email: 'links@example.org' })
    .returning<Array<{ id: string }>>('id');
  const id = row?.id ?? '';
  const confirm = pathTo.newsletterConfirmation(signLinkToken('newsletter-confirm', id, [COOKIE_SECRET]));
  const end = pathTo.newsletterUnsubscription(signLinkToken('newsletter-unsubscribe', id, [COOKIE_SECRET]));

  for (const link of [confirm, end]) {
    expect(await measureCost(() => get(link))).toEqual({ transactions: 0, statements: 1, writes: 0 });
    expect(await measureCost(() => press(link))).toEqual({ transactions: 0, statements: 2, writes: 1 });
  }
});
