import { expect } from 'vitest';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { longTimeoutWorker, setUpFault } from './fault-fixture.ts';
import { countMissingJobs, untilJobsAreBack } from './redis-jobs.ts';

faultRow(14, 'Redis is full: requests are accepted and mailed, there is an alert, and jobs are added once Redis has room', async (chance) => {
  const fixture = await setUpFault({
    ...longTimeoutWorker,
    FOLLOW_UP_REMINDER_AFTER: '2s',
    FOLLOW_UP_AFTER: '2h',
  });
  const { redis, database, sink } = fixture;
  const web = await startWeb(fixture.settings);
  const worker = await startWorker(fixture.settings);
  const early = Array.from({ length: 2 }, () => fixture.submit(web.origin));
  await chance.letTimePass(300);
  await redis.command('CONFIG', 'SET', 'maxmemory', '1mb');

  await Promise.all(early);
  expect((await fixture.submit(web.origin)).status).toBe(201);
  // The worker sends two mails and an export for each request without a queue.
  await waitFor('mails and exports', async () => (await countStates(database))['sent'] === 9);
  expect(sink.received).toHaveLength(6);
  await expect.poll(worker.output, { timeout: 10_000 }).toContain('"alert":"queue-out-of-order"');
  expect(await countMissingJobs(fixture)).toBeGreaterThan(0);

  await redis.command('CONFIG', 'SET', 'maxmemory', '0');
  await untilJobsAreBack(fixture);
  await fixture.submit(web.origin);
  await waitFor('the next mails', async () => (await countStates(database))['sent'] === 12);
  await fixture.expectMails();
});
