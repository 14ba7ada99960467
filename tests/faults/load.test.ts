import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase, type Database } from '../../shared/node/database/database.ts';
import { startWeb, startWorker } from '../support/delivery-fixture.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { describeLoad, sendLoad, type SentRequest } from '../support/send-load.ts';
import { pagePaths } from '../support/site-content.ts';
import { waitFor } from '../support/wait-for.ts';
import { setUpFault } from './fault-fixture.ts';
import { listMailReceipts, reconcile } from './reconcile.ts';
import { countMissingJobs } from './redis-jobs.ts';

const UNLIMITED = '999999/10m';
const DELIVERIES_EACH = 4;

/** A machine that can't keep up takes longer to fail. */
const TIMEOUT_MS = 400_000;

const listTaken = (sent: readonly SentRequest[]) => [
  ...new Set(
    sent.filter(({ statuses }) => [200, 201].includes(statuses.at(-1) ?? 0)).map(({ id }) => id),
  ),
];

/** Every accepted request is a row with its deliveries, and there is no other row. */
async function expectStoredOnce(database: Database, sent: readonly SentRequest[]): Promise<void> {
  const accepted = listTaken(sent);
  const rows = await database('contact_submissions').select('id');
  const counts = await database('deliveries')
    .groupBy('submission_id')
    .select<Array<{ submission_id: string; count: string }>>(
      'submission_id',
      database.raw('count(*)'),
    );

  expect(accepted).toHaveLength(new Set(sent.map(({ id }) => id)).size);
  expect(rows.map(({ id }) => id).sort()).toEqual([...accepted].sort());
  expect(counts).toHaveLength(accepted.length);
  expect(counts.filter(({ count }) => Number(count) !== DELIVERIES_EACH)).toEqual([]);
}

test('100 requests a second for a minute, Redis killed in between: nothing lost, nothing twice', async () => {
  const fixture = await setUpFault({ RATE_LIMIT_CONTACT: UNLIMITED, FOLLOW_UP_REMINDER_AFTER: '1h', FOLLOW_UP_AFTER: '2h' });
  const { database, redis, sink } = fixture;
  // The rate limit of production: sending 6,000 mails is not what is tested here.
  const timings = { sweep: 10_000, minInterval: 1_000, lease: 60_000, attempt: 20_000, alertAfter: 900_000 };
  const settings = { ...fixture.settings, WORKER_TIMINGS: JSON.stringify(timings) };
  const web = await startWeb(settings);
  const worker = await startWorker(settings);

  const sending = sendLoad({ origin: web.origin, perSecond: 100, seconds: 60, repeatEvery: 20 });
  await wait(20_000);
  await redis.kill();
  await wait(2_000);
  await redis.start();
  const sent = await sending;
  process.stdout.write(describeLoad('100 requests a second, Redis restarted', sent));

  expect(sent).toHaveLength(6_000);
  await expectStoredOnce(database, sent);
  await waitFor('every job', async () => (await countMissingJobs(fixture)) === 0, 90_000);
  // What is in progress is recorded before the records are reconciled.
  await worker.stop();
  const receipts = listMailReceipts(sink.received);
  expect(receipts.length).toBeGreaterThan(10);
  const books = await reconcile({ database, accepted: listTaken(sent), receipts, kinds: ['follow-up'] });
  // Not `late`: at one a second most of the mails are still to come.
  expect({ ...books, late: [] }).toEqual({ lost: [], duplicate: [], unknown: [], early: [], late: [] });
}, TIMEOUT_MS);

test('pages are served while PostgreSQL is down under load, and no request is lost', async () => {
  const postgres = await startOwnPostgres();
  const { origin } = await startWeb({
    DATABASE_URL: postgres.url,
    RATE_LIMIT_CONTACT: UNLIMITED,
    TRUST_PROXY: '127.0.0.1',
    ACKNOWLEDGE: 'off',
  });

  // Rendering each page once is the start's work, not the load's.
  for (const path of pagePaths) await fetch(origin + path);

  const sendingPages = sendLoad({ origin, perSecond: 100, seconds: 12, paths: pagePaths });
  const sendingRequests = sendLoad({ origin, perSecond: 20, seconds: 12 });
  await wait(3_000);
  await postgres.kill();
  await wait(5_000);
  await postgres.start();
  const [pages, requests] = await Promise.all([sendingPages, sendingRequests]);
  process.stdout.write(describeLoad('Pages, PostgreSQL away for 5 s', pages));
  process.stdout.write(describeLoad('Requests, PostgreSQL away for 5 s', requests));

  expect(pages.filter(({ statuses }) => statuses.some((status) => status !== 200))).toEqual([]);
  expect(requests.filter(({ statuses }) => statuses.includes(503)).length).toBeGreaterThan(0);
  const database = createDatabase(postgres.url, 'test');
  onTestFinished(() => database.destroy());
  await expectStoredOnce(database, requests);
});
