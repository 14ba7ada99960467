import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import type { RedisServer } from '../support/redis-server.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault, longTimeoutWorker, type FaultFixture } from './fault-fixture.ts';
import { countMissingJobs, untilJobsAreBack } from './redis-jobs.ts';

/** The file to which Redis appends its commands. */
async function findLog({ folder }: RedisServer): Promise<string> {
  const names = await readdir(join(folder, 'appendonlydir'));
  const name = names.filter((file) => file.endsWith('.incr.aof')).sort().at(-1);
  if (!name) throw new Error('There is no append-only file.');

  return join(folder, 'appendonlydir', name);
}

/** As the guide says: the data of Redis may be lost. */
const deleteData = ({ folder }: RedisServer) =>
  rm(join(folder, 'appendonlydir'), { recursive: true, force: true });

/** Requests that no worker has seen, with all their jobs queued. */
async function postWithoutWorker(fixture: FaultFixture, count: number) {
  const web = await startWeb(fixture.settings);
  await Promise.all(Array.from({ length: count }, () => fixture.submit(web.origin)));
  await waitFor('every job', async () => (await countMissingJobs(fixture)) === 0);

  return web;
}

/** A worker mails what is due and adds the jobs that are missing. */
async function expectMailsDone(fixture: FaultFixture): Promise<void> {
  await waitFor('the mails', async () => {
    return (await countStates(fixture.database))['sent'] === fixture.accepted.length;
  });
  await fixture.expectMails({ recoveredAt: Date.now() });
}

async function expectAllDone(fixture: FaultFixture): Promise<void> {
  await startWorker(fixture.settings);
  await untilJobsAreBack(fixture);
  await expectMailsDone(fixture);
}

faultRow(12, 'FLUSHALL at random times: nothing lost, nothing late', async (chance) => {
  const fixture = await setUpFault({
    ...longTimeoutWorker,
    CRM_PROVIDER: 'none',
    FOLLOW_UP_REMINDER_AFTER: '2s',
    FOLLOW_UP_AFTER: '4s',
  });
  const { database, redis } = fixture;
  const web = await startWeb(fixture.settings);
  await startWorker(fixture.settings);

  for (let round = 1; round <= 4; round += 1) {
    await Promise.all([1, 2].map(() => fixture.submit(web.origin)));
    await chance.letTimePass(1_500);
    await redis.command('FLUSHALL');
  }
  await waitFor('all mails', async () => (await countStates(database))['sent'] === 24);

  await fixture.expectMails();
});

faultRow(12, 'FLUSHALL during the delay: all jobs are recreated within a minute', async (chance) => {
  const fixture = await setUpFault({
    ...longTimeoutWorker,
    FOLLOW_UP_REMINDER_AFTER: '20h',
    FOLLOW_UP_AFTER: '24h',
  });
  const { database, redis } = fixture;
  const web = await startWeb(fixture.settings);
  await startWorker(fixture.settings);
  await Promise.all(Array.from({ length: chance.between(1, 5) }, () => fixture.submit(web.origin)));
  const { length } = fixture.accepted;
  await waitFor('mails and exports', async () => (await countStates(database))['sent'] === 2 * length);
  await chance.letTimePass(1_000);

  await redis.command('FLUSHALL');
  await untilJobsAreBack(fixture);

  expect(await countStates(database)).toEqual({ sent: 2 * length, pending: 2 * length });
  await fixture.expectMails();
});

faultRow(16, 'Redis killed right after an add: the jobs survive; jobs of a lost second of its log are recreated', async (chance) => {
  const fixture = await setUpFault({ ...oneMail, ...longTimeoutWorker });
  const { redis } = fixture;
  await postWithoutWorker(fixture, chance.between(1, 4));
  await redis.kill();
  await redis.start();
  expect(await countMissingJobs(fixture)).toBe(0);

  await redis.kill();
  const log = await findLog(redis);
  const { length } = await readFile(log);
  await truncate(log, length - chance.between(1, Math.min(4_000, length)));
  await redis.start();
  expect(await countMissingJobs(fixture)).toBeGreaterThan(0);

  await expectAllDone(fixture);
});

faultRow(19, 'AOF cut off anywhere: Redis starts, nothing lost', async (chance) => {
  const fixture = await setUpFault({ ...oneMail, ...longTimeoutWorker });
  const { redis } = fixture;
  await postWithoutWorker(fixture, 3);
  await redis.kill();
  const log = await findLog(redis);
  await truncate(log, chance.between(1, (await readFile(log)).length - 1));

  await redis.start();
  await expectAllDone(fixture);
});

faultRow(19, 'AOF with wrong bytes: Redis starts, or does so without its data; nothing lost', async (chance) => {
  const fixture = await setUpFault({ ...oneMail, ...longTimeoutWorker });
  const { redis } = fixture;
  await postWithoutWorker(fixture, 3);
  await redis.kill();
  const log = await findLog(redis);
  const bytes = await readFile(log);
  for (let count = chance.between(1, 30); count > 0; count -= 1) {
    bytes[chance.between(0, bytes.length - 1)] = chance.between(0, 255);
  }
  await writeFile(log, bytes);

  const refusal = await redis.start().catch((error: unknown) => error);
  if (refusal) {
    await deleteData(redis);
    await redis.start();
  }
  // A job with wrong bytes may have any time: the sweep processes what is due all the same.
  await startWorker(fixture.settings);
  await expectMailsDone(fixture);
});

faultRow(20, 'Redis’ data deleted: all jobs are recreated, mails go out once', async (chance) => {
  const fixture = await setUpFault({ ...oneMail, ...longTimeoutWorker });
  const { redis, database } = fixture;
  const web = await startWeb(fixture.settings);
  await startWorker(fixture.settings);
  const posting = Array.from({ length: 4 }, () => fixture.submit(web.origin));
  await chance.letTimePass(1_000);
  if (chance.between(0, 1) === 0) await deleteData(redis);
  await redis.kill();
  await deleteData(redis);
  await Promise.all(posting);
  await redis.start();
  expect(await redis.command('DBSIZE')).toBe(0);

  await untilJobsAreBack(fixture);
  await waitFor('the mails', async () => (await countStates(database))['sent'] === 4);
  await fixture.expectMails();
});
