import { expect } from 'vitest';
import { countStates, startWeb, startWorker } from '../support/delivery-bench.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { runOps } from '../support/run-ops.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault, patientWorker } from './fault-bench.ts';
import { countMissingJobs, untilJobsAreBack } from './redis-jobs.ts';

async function readUsedMemory(redis: RedisServer): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(String(await redis.command('INFO', 'memory')))?.[1]);
}

faultRow(13, 'Redis evicting, its memory full: alert, the doctor fails, nothing lost', async (chance) => {
  const bench = await setUpFault({ ...oneMail, ...patientWorker });
  const { redis, database } = bench;
  const web = await startWeb(bench.settings);
  await Promise.all(Array.from({ length: chance.between(2, 6) }, () => bench.submit(web.origin)));
  const { length } = bench.accepted;
  await waitFor('every job', async () => (await countMissingJobs(bench)) === 0);
  await redis.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru');
  const limit = (await readUsedMemory(redis)) + chance.between(300_000, 600_000);
  await redis.command('CONFIG', 'SET', 'maxmemory', String(limit));
  let filled = 0;
  await waitFor('jobs to be evicted', async () => {
    await redis.command('SET', `other:${(filled += 1)}`, 'x'.repeat(20_000));

    return (await countMissingJobs(bench)) > 0;
  });

  const worker = await startWorker(bench.settings);
  await waitFor('the alert', () => worker.output().includes('"alert":"redis-loses-jobs"'));
  const doctor = await runOps(bench.settings, 'doctor', '--json');
  expect(doctor.exitCode).toBe(1);
  expect(JSON.parse(doctor.output)).toMatchObject({
    findings: expect.arrayContaining([expect.objectContaining({ check: 'redis policy', status: 'fail' })]),
  });
  await bench.submit(web.origin);
  await waitFor('the mails', async () => (await countStates(database))['sent'] === length + 1);
  await bench.expectMails();

  await redis.command('CONFIG', 'SET', 'maxmemory', '0');
  await untilJobsAreBack(bench);
});

faultRow(14, 'Redis full: accepted and mailed, alert; jobs again once it has room', async (chance) => {
  const bench = await setUpFault({
    ...patientWorker,
    FOLLOW_UP_REMINDER_AFTER: '2s',
    FOLLOW_UP_AFTER: '2h',
  });
  const { redis, database, sink } = bench;
  const web = await startWeb(bench.settings);
  const worker = await startWorker(bench.settings);
  const early = Array.from({ length: 2 }, () => bench.submit(web.origin));
  await chance.letTimePass(300);
  await redis.command('CONFIG', 'SET', 'maxmemory', '1mb');

  await Promise.all(early);
  expect((await bench.submit(web.origin)).status).toBe(201);
  // Of each request two mails and the export, without a queue.
  await waitFor('mails and exports', async () => (await countStates(database))['sent'] === 9);
  expect(sink.received).toHaveLength(6);
  await expect.poll(worker.output, { timeout: 10_000 }).toContain('"alert":"queue-out-of-order"');
  expect(await countMissingJobs(bench)).toBeGreaterThan(0);

  await redis.command('CONFIG', 'SET', 'maxmemory', '0');
  await untilJobsAreBack(bench);
  await bench.submit(web.origin);
  await waitFor('the next mails', async () => (await countStates(database))['sent'] === 12);
  await bench.expectMails();
});
