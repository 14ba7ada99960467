import { expect, onTestFinished } from 'vitest';
import { makeContactBody } from '../support/contact-request.ts';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { openDatabase } from '../support/database.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault, longTimeoutWorker } from './fault-fixture.ts';
import { MAX_ANSWER_MS, measure } from './measure.ts';
import { countMissingJobs, untilJobsAreBack } from './redis-jobs.ts';
import { untilReady, untilRedisIs } from './web-health.ts';

const MAX_DETECTION_MS = 60_000;

faultRow(18, 'Half-open connections to Redis: mails are still sent, and the queue works again within a minute', async (chance) => {
  const fixture = await setUpFault({ ...oneMail, ...longTimeoutWorker });
  const { sink, database } = fixture;
  const proxy = await startFaultProxy(fixture.settings['REDIS_URL'] ?? '');
  onTestFinished(() => proxy.close());
  const settings = { ...fixture.settings, REDIS_URL: proxy.url };
  const web = await startWeb(settings);
  const worker = await startWorker(settings);
  await fixture.submit(web.origin);
  await waitFor('the first mail', () => sink.received.length === 1);
  await chance.letTimePass(1_500);
  proxy.blackhole();

  const [responses, ms] = await measure(() =>
    Promise.all([1, 2, 3].map(() => fixture.submit(web.origin))),
  );
  expect(responses.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(ms).toBeLessThan(MAX_ANSWER_MS);
  await waitFor('the mails without Redis', () => sink.received.length === 4);

  // The network works again, but the old connections remain unusable.
  proxy.pass();
  await untilRedisIs('up', web.origin);
  await fixture.submit(web.origin);
  await waitFor('the mail from the queue', () => sink.received.length === 5, MAX_DETECTION_MS);
  await untilJobsAreBack(fixture);
  await waitFor('the records', async () => (await countStates(database))['sent'] === 5);
  expect(worker.hasExited()).toBe(false);
  await fixture.expectMails();
});

faultRow(18, 'Half-open connections to PostgreSQL: web responds with 503 in time, and everything works again within a minute', async (chance) => {
  const fixture = await setUpFault({ ...oneMail, ...longTimeoutWorker });
  const { sink, redis } = fixture;
  const url = fixture.settings['DATABASE_URL'] ?? '';
  const proxy = await startFaultProxy(url);
  onTestFinished(() => proxy.close());
  const rival = openDatabase(url, onTestFinished);
  const settings = { ...fixture.settings, DATABASE_URL: proxy.url };
  const web = await startWeb(settings);
  const worker = await startWorker(settings);
  await Promise.all(Array.from({ length: chance.between(1, 8) }, () => fixture.submit(web.origin)));
  const { length } = fixture.accepted;
  await waitFor('the first mails', () => sink.received.length === length);

  // The network fails while the worker holds the sweep's lock.
  await rival.transaction(async (transaction) => {
    await transaction.raw('lock table deliveries in exclusive mode');
    await waitFor('the sweep', async () => {
      const { rows } = await fixture.database.raw<{ rows: unknown[] }>(`
        select from pg_stat_activity where application_name = 'worker'
          and datname = current_database() and wait_event_type = 'Lock'
      `);

      return rows.length > 0;
    });
    proxy.blackhole();
  });
  const body = makeContactBody();
  const [refused, ms] = await measure(() => fixture.submit(web.origin, body));
  expect(refused.status).toBe(503);
  expect(ms).toBeLessThan(MAX_ANSWER_MS);
  expect((await fetch(`${web.origin}/contact`)).status).toBe(200);

  proxy.pass();
  const passedAt = performance.now();
  await untilReady(web.origin);
  await waitFor('the request to be accepted', async () => {
    return (await fixture.submit(web.origin, body)).ok;
  });
  for (const response of await Promise.all(Array.from({ length: 9 }, () => fixture.submit(web.origin)))) {
    expect(response.status).toBe(201);
  }
  await redis.command('FLUSHALL');
  expect(await countMissingJobs(fixture)).toBeGreaterThan(0);
  await untilJobsAreBack(fixture);
  await waitFor('all mails', () => sink.received.length === length + 10, MAX_DETECTION_MS);
  process.stdout.write(`recovered after ${Math.round(performance.now() - passedAt)} ms\n`);
  expect(performance.now() - passedAt).toBeLessThan(MAX_DETECTION_MS);
  expect(worker.hasExited()).toBe(false);
  await fixture.expectMails({ recoveredAt: Date.now() });
});
