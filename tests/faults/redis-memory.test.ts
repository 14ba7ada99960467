import { expect } from 'vitest';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { spawnOps } from '../support/run-ops.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { longTimeouts, longTimeoutWorker, oneMail, setUpFault } from './fault-fixture.ts';
import { countMissingJobs, untilJobsAreBack } from './redis-jobs.ts';

async function readUsedMemory(redis: RedisServer): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(String(await redis.command('INFO', 'memory')))?.[1]);
}

faultRow(13, 'Redis evicts, its memory full: alert, the doctor fails, nothing lost', async (chance) => {
  const timings = { ...longTimeouts, checks: { first: 500, every: 3_600_000 } };
  const fixture = await setUpFault({ ...oneMail, WORKER_TIMINGS: JSON.stringify(timings) });
  const { redis, database } = fixture;
  const web = await startWeb(fixture.settings);
  await Promise.all(Array.from({ length: chance.between(2, 6) }, () => fixture.submit(web.origin)));
  const { length } = fixture.accepted;
  await waitFor('every job', async () => (await countMissingJobs(fixture)) === 0);
  await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  const limit = (await readUsedMemory(redis)) + chance.between(300_000, 600_000);
  await redis.command('CONFIG', 'SET', 'maxmemory', String(limit));
  let filled = 0;
  await waitFor('jobs to be evicted', async () => {
    await redis.command('SET', `other:${(filled += 1)}`, 'x'.repeat(20_000));

    return (await countMissingJobs(fixture)) > 0;
  });

  const worker = await startWorker(fixture.settings);
  await waitFor('the alert', () => worker.output().includes('"alert":"redis-loses-jobs"'));
  const doctor = await spawnOps(fixture.settings, 'doctor', '--json');
  expect(doctor.exitCode).toBe(1);
  expect(JSON.parse(doctor.output)).toMatchObject({
    findings: expect.arrayContaining([expect.objectContaining({ check: 'redis policy', status: 'fail' })]),
  });
  await fixture.submit(web.origin);
  await waitFor('the mails', async () => (await countStates(database))['sent'] === length + 1);
  await fixture.expectMails();

  await redis.command('CONFIG', 'SET', 'maxmemory', '0');
  await untilJobsAreBack(fixture);
});

faultRow(14, 'Redis full: accepted and mailed, alert; jobs are queued again once it has room', async (chance) => {
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
  // Of each request two mails and the export, without a queue.
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
