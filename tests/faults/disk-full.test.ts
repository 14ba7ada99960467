import { randomBytes } from 'node:crypto';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { createDatabase } from '../../shared/node/database/database.ts';
import { makeContactBody } from '../support/contact-request.ts';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { createRedisServer } from '../support/redis-server.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault, type FaultFixture } from './fault-fixture.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { makeSmallDisk } from './small-disk.ts';
import { sendAgain } from './steady-posts.ts';

/** Lines of log that fit in no corner of a full disk. */
const RESPONSES = 100;

/** A request that needs room: text that can't be compressed. */
const makeLongBody = () => makeContactBody({ message: randomBytes(2_400).toString('hex') });

const MAX_POSTS = 2_000;

/** Posts until the site can't store a request; returns the one it refused. */
async function postUntilRefused({ submit }: FaultFixture, origin: string) {
  for (let count = 0; count < MAX_POSTS; count += 1) {
    const body = makeLongBody();
    const response = await submit(origin, body);
    if (response.ok) continue;
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).not.toBeNull();

    return body;
  }
  throw new Error('The disk never became full.');
}

const isReady = (origin: string) => fetch(`${origin}/health/ready`).then(({ ok }) => ok);

faultRow(45, 'PostgreSQL’s disk is full: 503, pages are served, nothing lost, works again when freed', async (chance) => {
  const disk = await makeSmallDisk(200);
  const postgres = await startOwnPostgres({ max_wal_size: '64MB', min_wal_size: '32MB' }, disk.folder);
  const fixture = await setUpFault({ ...oneMail, DATABASE_URL: postgres.url });
  const web = await startWeb(fixture.settings);
  const worker = await startWorker(fixture.settings);
  for (let count = chance.between(1, 10); count > 0; count -= 1) await fixture.submit(web.origin);

  await disk.fill();
  const refused = await postUntilRefused(fixture, web.origin);
  for (const path of ['/', '/contact', '/health/live']) {
    expect((await fetch(web.origin + path)).status).toBe(200);
  }
  await chance.letTimePass(2_000);
  expect([web.hasExited(), worker.hasExited()]).toEqual([false, false]);

  await disk.free();
  // Without space for its WAL PostgreSQL shuts down; its supervisor starts it again.
  const isUp = await waitFor('PostgreSQL', () => isReady(web.origin), 5_000).catch(() => false);
  if (!isUp) await postgres.start();
  const recoveredAt = Date.now();
  await waitFor('web to be ready', () => isReady(web.origin));
  await sendAgain(fixture, web.origin, [refused]);
  const database = createDatabase(postgres.url, 'test');
  onTestFinished(() => database.destroy());
  await waitFor('all mails', async () => {
    const { length } = await database('contact_submissions');

    return (await countStates(database))['sent'] === length;
  }, 60_000);
  await fixture.expectMails({ database, recoveredAt }, 5);
});

faultRow(45, 'Redis’s disk is full: the form works, mails go out, an alert is raised, jobs run again when freed', async () => {
  const disk = await makeSmallDisk(20);
  const redis = await createRedisServer([], disk.folder);
  onTestFinished(() => redis.remove());
  await redis.start();
  const fixture = await setUpFault({ ...oneMail, REDIS_URL: redis.url });
  const web = await startWeb(fixture.settings);
  const worker = await startWorker(fixture.settings);
  await fixture.submit(web.origin);
  const isRefusing = () =>
    redis.command('SET', 'probe', 'x'.repeat(5_000)).then(
      () => false,
      (error: unknown) => String(error).includes('MISCONF'),
    );

  await disk.fill();
  await waitFor('Redis to refuse', isRefusing);
  const sent = fixture.sink.received.length;
  expect((await fixture.submit(web.origin)).status).toBe(201);
  await waitFor('the mail', () => fixture.sink.received.length > sent);
  await waitFor('the alert', () => worker.output().includes('"alert":"queue-out-of-order"'));
  expect([web.hasExited(), worker.hasExited()]).toEqual([false, false]);

  await disk.free();
  await waitFor('Redis to take jobs', async () => !(await isRefusing()));
  expect((await fixture.submit(web.origin)).status).toBe(201);
  const { accepted, database } = fixture;
  await waitFor('all mails', async () => (await countStates(database))['sent'] === accepted.length);
  await fixture.expectMails();
});

faultRow(45, 'The disk with the logs is full: requests go on, and the buffered lines are written when freed', async () => {
  const disk = await makeSmallDisk(5);
  const file = join(disk.folder, 'web.log');
  const log = openSync(file, 'a');
  const fixture = await setUpFault(oneMail);
  const web = await startWeb(fixture.settings, undefined, { stdout: log });
  closeSync(log);

  const countResponses = async () => (await readFile(file, 'utf8')).split('"request completed"').length - 1;

  await disk.fill();
  for (let count = 0; count < RESPONSES; count += 1) {
    expect((await fetch(`${web.origin}/about`)).status).toBe(200);
  }
  expect((await fixture.submit(web.origin)).status).toBe(201);
  expect(await countResponses()).toBeLessThan(RESPONSES);
  await disk.free();
  // The next line takes those that waited along.
  expect((await fetch(`${web.origin}/about`)).status).toBe(200);
  await waitFor('the lines that waited', async () => (await countResponses()) > RESPONSES);
  expect(await web.stop()).toBe(0);

  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  for (const line of lines) expect(() => JSON.parse(line) as unknown, line).not.toThrow();
  expect(lines.at(-1)).toContain('Shutting down.');
});
