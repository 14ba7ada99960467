import { beforeAll, describe, expect, test } from 'vitest';
import { apiPaths, discoveryPaths, routePatterns } from '../../shared/paths.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { readQueries, tellQueries } from '../support/read-queries.ts';
import { createRedisServer } from '../support/redis-server.ts';
import { startWebProcess, type WebProcess } from '../support/site-process.ts';
import { pagePaths } from '../support/site-content.ts';
import { waitFor } from '../support/wait-for.ts';

/*
 * The statements a web process sends for each kind of request, whoever in it sends them, also after the
 * answer. A change here is a change of what a request costs.
 */

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
  const settings = { DATABASE_URL: await createMigratedDatabase(), REDIS_URL: redis.url };
  web = await startWebProcess(settings, [...tellQueries, 'server/main.ts']);
  // What the start asks is over with the first answer that comes after it; then one mark is counted.
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

const get = (path: string) => fetch(web.origin + path).then((answer) => answer.text());
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
    ...Object.values(discoveryPaths),
  ])('for %s', async (path) => {
    expect(await listQueries(() => get(path))).toEqual([]);
  });

  test('for a request that is refused', async () => {
    expect(await listQueries(() => postContact(web.origin, { email: 'nobody' }))).toEqual([]);
    expect(await listQueries(() => postForm(routePatterns.contact, { name: '' }))).toEqual([]);
  });
});

const insertion = expect.stringMatching(/^with submission as \(insert into "contact_submissions"/);

test('a contact request costs one, in its transaction', async () => {
  expect(await listQueries(() => postContact(web.origin, makeContactBody()))).toEqual([
    'BEGIN;',
    insertion,
    'COMMIT;',
  ]);
});

test('a plain form costs two more, which look for the same content', async () => {
  const fields = { name: 'Ada', email: 'ada@example.org', company: 'Plain Sweets' };

  expect(await listQueries(() => postForm(routePatterns.contact, fields))).toEqual([
    'BEGIN;',
    expect.stringContaining('pg_advisory_xact_lock'),
    expect.stringMatching(/^select "id" from "contact_submissions"/),
    insertion,
    'COMMIT;',
  ]);
});
