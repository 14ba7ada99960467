import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { kindRules } from '../../shared/deliveries/delivery.ts';
import { poolSizes, type Database } from '../../shared/node/database/database.ts';
import { siteFilePaths } from '../../shared/paths.ts';
import { makeStrangersBody, postContact } from '../support/contact-request.ts';
import { earlierReport, startWeb, startWorker, untilSent } from '../support/delivery-fixture.ts';
import { get } from '../support/insights-gate.ts';
import { pagePaths } from '../support/site-content.ts';
import type { Environment, WebProcess } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { setUpFault, type FaultFixture } from './fault-fixture.ts';
import { listMailReceipts } from './reconcile.ts';

const WEBS = 3;
const WORKERS = 4;
const KILLED_WORKERS = 2;

/** Web processes without a proxy. They get requests in turn. */
interface ManyWebs {
  readonly all: readonly WebProcess[];
  /** Returns the origin of the web process that gets the nth request. */
  readonly pick: (number: number) => string;
}

/** Starts web processes with the same settings, and stops them when the test ends. */
async function startWebs(settings: Environment): Promise<ManyWebs> {
  const all = await Promise.all(Array.from({ length: WEBS }, () => startWeb(settings)));

  return { all, pick: (number) => all[number % all.length]?.origin ?? '' };
}

test('all web processes send the same bytes and the same ETag for a page or document', async () => {
  const { settings } = await setUpFault({ PUBLIC_URL: 'https://www.example.com' });
  const { all } = await startWebs(settings);
  const paths = [...pagePaths, ...Object.values(siteFilePaths), '/favicon.ico', '/nowhere'];

  for (const path of paths) {
    const responses = await Promise.all(
      all.map(async ({ origin }) => {
        const response = await get(origin, path);

        return [response.headers.get('etag'), response.headers.get('last-modified'), await response.text()];
      }),
    );
    expect([path, ...responses.slice(1)]).toEqual([path, responses[0], responses[0]]);
  }
});

/** Posts to one web process after another until one accepts, like a visitor who tries again. */
async function submitWithRetry(fixture: FaultFixture, webs: ManyWebs, number: number): Promise<void> {
  const body = makeStrangersBody();
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const response = await fixture.submit(webs.pick(number + attempt), body).catch(() => undefined);
    if (response?.ok) return;
    await wait(100);
  }
  throw new Error('No web process accepted the request.');
}

/** Posts `count` requests, and repeats each to another web process. */
async function submitTwice(fixture: FaultFixture, webs: ManyWebs, count: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let number = 0; number < count; number += 1) {
    const body = makeStrangersBody();
    statuses.push((await fixture.submit(webs.pick(number), body)).status);
    statuses.push((await postContact(webs.pick(number + 1), body)).status);
  }

  return statuses;
}

/** Counts the site's connections until the test ends. The returned function returns the highest count. */
function watchConnections(database: Database): () => number {
  let most = 0;
  let isShuttingDown = false;
  const watch = async () => {
    while (!isShuttingDown) {
      const row = await database('pg_stat_activity')
        .whereRaw("datname = current_database() and application_name <> 'test'")
        .first<{ count: number }>(database.raw('count(*)::int as count'));
      most = Math.max(most, row.count);
      await wait(100);
    }
  };
  const watching = watch();
  onTestFinished(async () => {
    isShuttingDown = true;
    await watching;
  });

  return () => most;
}

const isReport = (subject = '') => subject.includes('Weekly report');

/** Compares mails and exported lines with the accepted requests. */
async function expectEachOnce(
  fixture: FaultFixture,
  recoveredAt: number,
  maxDuplicates: number,
): Promise<void> {
  const { sink, database, crmFolder } = fixture;
  const mails = sink.received.filter(({ mail }) => !isReport(mail.subject));
  await fixture.expectMails({ receipts: listMailReceipts(mails), recoveredAt }, maxDuplicates);

  const lines = (await readFile(join(crmFolder, 'submissions.ndjson'), 'utf8')).trim().split('\n');
  const exported = lines.map((line) => (JSON.parse(line) as { submission_id: string }).submission_id);
  const rows = await database('deliveries').where({ kind: 'crm-export' });
  const deliveryOf = new Map(rows.map((row) => [row.submission_id, row]));
  const receipts = exported.map((id) => {
    const row = deliveryOf.get(id);

    return { deliveryId: row?.id ?? 'unknown', at: row?.sent_at?.getTime() ?? 0 };
  });
  await fixture.expectMails({ receipts, recoveredAt, kinds: ['crm-export'] });
  const csv = (await readFile(join(crmFolder, 'submissions.csv'), 'utf8')).trim().split('\r\n');
  expect(csv.slice(1).map((row) => row.slice(0, 36)).sort()).toEqual([...exported].sort());
}

test('three web processes and four workers, some of which are killed, send everything once, including one report', async () => {
  const fixture = await setUpFault({
    FOLLOW_UP_REMINDER_AFTER: '5s',
    FOLLOW_UP_AFTER: '10s',
    RATE_LIMIT_CONTACT: '100000/10m',
    REPORT_AT: 'Mon 0',
    // With shorter limits, a busy machine could abort a mail that the mail server has already accepted.
    WORKER_TIMINGS: JSON.stringify({ lease: 20_000, attempt: 15_000 }),
  });
  const { settings, database, sink } = fixture;
  await database('deliveries').insert(earlierReport);
  const mostConnections = watchConnections(database);
  const webs = await startWebs(settings);
  expect(await submitTwice(fixture, webs, 24)).toEqual(
    Array.from({ length: 24 }, () => [201, 200]).flat(),
  );

  const workers = await Promise.all(
    Array.from({ length: WORKERS }, () => startWorker(settings)),
  );
  await waitFor('more than 30 mails', async () => sink.received.length > 30);
  await waitFor('the report', () => sink.received.some(({ mail }) => isReport(mail.subject)));

  const posting = Promise.all(
    Array.from({ length: 60 }, async (_, number) => {
      await wait(number * 30);
      await submitWithRetry(fixture, webs, number);
    }),
  );
  await waitFor('more than 40 accepted requests', () => fixture.accepted.length > 40);
  await Promise.all([
    webs.all[0]?.stop('SIGKILL'),
    ...workers.slice(0, KILLED_WORKERS).map((worker) => worker.stop('SIGKILL')),
  ]);
  const recoveredAt = Date.now();
  await posting;
  await untilSent(database, 4 * 84, 90_000);

  // Mails that a killed worker didn't record are sent again: at most as many as it sends concurrently.
  await expectEachOnce(fixture, recoveredAt, KILLED_WORKERS * kindRules['follow-up'].concurrency);
  expect(sink.received.filter(({ mail }) => isReport(mail.subject))).toHaveLength(1);
  const { web, worker, retention } = poolSizes;
  expect(mostConnections()).toBeLessThanOrEqual(WEBS * web + WORKERS * (worker + retention));
});
