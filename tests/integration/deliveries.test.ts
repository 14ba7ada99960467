import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { getJobId } from '../../shared/deliveries/delivery.ts';
import type { Database } from '../../shared/node/database.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { createRedisServer, type RedisServer } from '../support/redis-server.ts';
import {
  startWebProcess,
  startWorkerProcess,
  type Environment,
} from '../support/site-process.ts';
import { startSmtpSink, type SmtpSink } from '../support/smtp-sink.ts';
import { waitFor } from '../support/wait-for.ts';

interface Bench {
  readonly settings: Environment;
  readonly database: Database;
  readonly redis: RedisServer;
  readonly sink: SmtpSink;
  readonly crmFolder: string;
}

/** Real servers for one test, with mails due within seconds; all are gone when it ends. */
async function setUp(changes: Environment = {}): Promise<Bench> {
  const databaseUrl = await createMigratedDatabase();
  const redis = await createRedisServer();
  await redis.start();
  const sink = await startSmtpSink();
  const crmFolder = await mkdtemp(join(tmpdir(), 'test-crm-'));
  onTestFinished(async () => {
    await sink.close();
    await redis.remove();
    await rm(crmFolder, { recursive: true });
  });

  return {
    database: openDatabase(databaseUrl, onTestFinished),
    redis,
    sink,
    crmFolder,
    settings: {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redis.url,
      SMTP_URL: sink.url,
      CRM_DIR: crmFolder,
      FOLLOW_UP_REMINDER_AFTER: '2s',
      FOLLOW_UP_AFTER: '4s',
      RATE_LIMIT_CONTACT: '1000/10m',
      ...changes,
    },
  };
}

async function startWeb(settings: Environment) {
  const web = await startWebProcess(settings);
  onTestFinished(async () => {
    await web.stop();
  });

  return web;
}

async function startWorker(settings: Environment) {
  const worker = await startWorkerProcess(settings);
  onTestFinished(async () => {
    await worker.stop();
  });

  return worker;
}

/** How many deliveries are in each state that any is in. */
async function countStates(database: Database): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { state } of await database('deliveries').select('state')) {
    counts[state] = (counts[state] ?? 0) + 1;
  }

  return counts;
}

const untilSent = (database: Database, count: number, timeoutMs = 30_000) =>
  waitFor(
    `${count} sent deliveries`,
    async () => {
      const states = await countStates(database);

      return states['sent'] === count && Object.keys(states).length === 1;
    },
    timeoutMs,
  );

const listStages = ({ received }: SmtpSink) =>
  received.map(({ header }) => header('X-Delivery-Stage'));

describe.each([['Redis'], ['PostgreSQL']])('with jobs on %s', (backend) => {
  test('each mail goes out once and never early, and the export is written', async () => {
    const { settings, database, sink, crmFolder } = await setUp();
    const own = backend === 'Redis' ? settings : { ...settings, REDIS_URL: '' };
    const web = await startWeb(own);
    await startWorker(own);
    const body = makeContactBody({ company: '=1+1 Sweets', phone: '+1 555 0100' });

    const answer = await postContact(web.origin, body);
    const answeredAt = Date.now();
    expect(answer.status).toBe(201);
    await untilSent(database, 4);

    expect(listStages(sink)).toEqual(['new', 'reminder', 'due']);
    const [first, reminder, due] = sink.received;
    expect(first?.mail.subject).toBe('[Praline] New assessment request: =1+1 Sweets');
    expect(reminder?.mail.subject).toBe('[Praline] Reminder: =1+1 Sweets');
    expect(due?.mail.subject).toBe('[Praline] 24 h follow-up due: =1+1 Sweets');
    expect(first?.header('X-Submission-Id')).toBe(body.id);
    expect(first?.mail.replyTo?.[0]).toMatchObject({
      name: 'Ada Example',
      address: 'ada@example.org',
    });
    // The request was stored at most a moment before its answer arrived.
    expect(reminder?.receivedAt).toBeGreaterThanOrEqual(answeredAt + 2_000 - 500);
    expect(due?.receivedAt).toBeGreaterThanOrEqual(answeredAt + 4_000 - 500);

    const ndjson = await readFile(join(crmFolder, 'submissions.ndjson'), 'utf8');
    expect(ndjson.trim().split('\n').map((line) => JSON.parse(line) as unknown)).toEqual([
      expect.objectContaining({ submission_id: body.id, company: '=1+1 Sweets' }),
    ]);
    const csv = await readFile(join(crmFolder, 'submissions.csv'), 'utf8');
    expect(csv.trim().split('\r\n')).toHaveLength(2);
    expect(csv).toContain("'=1+1 Sweets");
  });
});

describe('when Redis goes away', () => {
  test('a request posted meanwhile is answered at once and its jobs follow', async () => {
    const { settings, database, redis, sink } = await setUp();
    const web = await startWeb(settings);
    await startWorker(settings);
    await redis.kill();

    const body = makeContactBody();
    const startedAt = performance.now();
    const answer = await postContact(web.origin, body);
    const answeredIn = performance.now() - startedAt;

    expect(answer.status).toBe(201);
    // Far below any connection's time-out: the answer does not depend on Redis.
    expect(answeredIn).toBeLessThan(1_500);
    await redis.start();
    await untilSent(database, 4);
    expect(listStages(sink)).toEqual(['new', 'reminder', 'due']);
  });

  test('mails go out on time without it, and the worker still ends in order', async () => {
    const { settings, database, redis, sink } = await setUp();
    const web = await startWeb(settings);
    const worker = await startWorker(settings);
    await redis.kill();

    await postContact(web.origin, makeContactBody());
    await untilSent(database, 4);

    expect(listStages(sink)).toEqual(['new', 'reminder', 'due']);
    expect(await worker.stop()).toBe(0);
  });

  test('web and worker start without it and join when it comes', async () => {
    const { settings, database, redis, sink } = await setUp();
    await redis.kill();
    const web = await startWeb(settings);
    await startWorker(settings);

    await redis.start();
    await waitFor('web to reach Redis', async () => {
      const ready = (await (await fetch(`${web.origin}/health/ready`)).json()) as { redis: string };

      return ready.redis === 'up';
    });
    await postContact(web.origin, makeContactBody());
    await untilSent(database, 4);

    expect(listStages(sink)).toEqual(['new', 'reminder', 'due']);
  });

  test('or is full, mails still go out and an alert is raised', async () => {
    const { settings, database, redis, sink } = await setUp();
    const web = await startWeb(settings);
    const worker = await startWorker(settings);
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');

    const answer = await postContact(web.origin, makeContactBody());
    expect(answer.status).toBe(201);
    await untilSent(database, 4);

    expect(listStages(sink)).toEqual(['new', 'reminder', 'due']);
    expect(worker.output()).toContain('"alert":"queue-out-of-order"');
  });

  test('for twenty seconds, the idle worker takes jobs again within seconds of its return', async () => {
    const { settings, database, redis, sink } = await setUp({
      FOLLOW_UP_REMINDER_AFTER: '1h',
      FOLLOW_UP_AFTER: '2h',
    });
    const web = await startWeb(settings);
    const worker = await startWorker(settings);
    await redis.kill();
    const outageEnd = performance.now() + 20_000;
    await waitFor('the outage to last 20 s', () => performance.now() > outageEnd, 30_000);
    await redis.start();
    await waitFor('web to reach Redis', async () => {
      const ready = (await (await fetch(`${web.origin}/health/ready`)).json()) as { redis: string };

      return ready.redis === 'up';
    });

    await postContact(web.origin, makeContactBody());
    await waitFor('the first mail', () => sink.received.length === 1, 10_000);

    expect(worker.hasExited()).toBe(false);
    await waitFor('the export', async () => (await countStates(database))['sent'] === 2);
  });

  test('and is emptied during the delay, every job is made anew', async () => {
    const { settings, database, redis, sink } = await setUp();
    const web = await startWeb(settings);
    await startWorker(settings);
    await postContact(web.origin, makeContactBody());
    await waitFor('the first mail', () => sink.received.length === 1);

    await redis.command('FLUSHALL');
    const waiting = await database('deliveries').where({ state: 'pending' }).select('id');
    for (const { id } of waiting) {
      await waitFor('the job to be there again', async () => {
        const exists = await redis.command('EXISTS', `bull:follow-up:${getJobId(String(id))}`);

        return exists === 1;
      });
    }
    await untilSent(database, 4);

    expect(listStages(sink)).toEqual(['new', 'reminder', 'due']);
  });
});

describe('a worker killed by force', () => {
  const quietSettings = { FOLLOW_UP_REMINDER_AFTER: '1h', FOLLOW_UP_AFTER: '2h', CRM_PROVIDER: 'none' };

  test('before the mail was taken leaves it to the next worker, once', async () => {
    const { settings, database, sink } = await setUp(quietSettings);
    const web = await startWeb(settings);
    const first = await startWorker(settings);
    sink.faults.push({ kind: 'hang-before' });
    await postContact(web.origin, makeContactBody());
    await waitFor('the mail to be offered', () => sink.countOffers() === 1);
    await first.stop('SIGKILL');
    expect(sink.received).toHaveLength(0);

    await startWorker(settings);
    await waitFor('the record', async () => (await countStates(database))['sent'] === 1);

    expect(sink.received).toHaveLength(1);
    expect(await database('deliveries').where({ stage: 'new' }).first()).toMatchObject({
      attempts: 2,
      lease_expiries: 1,
    });
  });

  test('after the mail was taken repeats it at most once, under the same Message-ID', async () => {
    const { settings, database, sink } = await setUp(quietSettings);
    const web = await startWeb(settings);
    const first = await startWorker(settings);
    sink.faults.push({ kind: 'hang-after' });
    await postContact(web.origin, makeContactBody());
    await waitFor('the mail to be taken', () => sink.received.length === 1);
    await first.stop('SIGKILL');

    await startWorker(settings);
    await waitFor('the delivery to be recorded', async () => (await countStates(database))['sent'] === 1);

    expect(sink.received).toHaveLength(2);
    expect(new Set(sink.received.map(({ mail }) => mail.messageId)).size).toBe(1);
  });
});

describe('an SMTP server', () => {
  const quietSettings = { FOLLOW_UP_REMINDER_AFTER: '1h', FOLLOW_UP_AFTER: '2h', CRM_PROVIDER: 'none' };

  test('that refuses for now gets the mail again later, once', async () => {
    const { settings, database, sink } = await setUp(quietSettings);
    const web = await startWeb(settings);
    await startWorker(settings);
    sink.faults.push({ kind: 'refuse', code: 450 }, { kind: 'refuse', code: 451 });

    await postContact(web.origin, makeContactBody());
    await waitFor('the delivery', async () => (await countStates(database))['sent'] === 1);

    expect(sink.received).toHaveLength(1);
    expect(await database('deliveries').where({ stage: 'new' }).first()).toMatchObject({ attempts: 3 });
  });

  test('that refuses for good makes the delivery dead and raises an alert', async () => {
    const { settings, database, sink } = await setUp(quietSettings);
    const web = await startWeb(settings);
    const worker = await startWorker(settings);
    sink.faults.push({ kind: 'refuse', code: 550 });

    await postContact(web.origin, makeContactBody());
    await waitFor('the delivery to be dead', async () => (await countStates(database))['dead'] === 1);

    expect(await database('deliveries').where({ stage: 'new' }).first()).toMatchObject({
      last_error: 'smtp-550',
      attempts: 1,
    });
    expect(worker.output()).toContain('"alert":"delivery-dead"');
    expect(worker.output()).not.toContain('ada@example.org');
  });
});

test('five workers do each of forty deliveries once', async () => {
  const { settings, database, sink } = await setUp({
    FOLLOW_UP_REMINDER_AFTER: '1h',
    FOLLOW_UP_AFTER: '2h',
    CRM_PROVIDER: 'none',
  });
  const web = await startWeb(settings);
  for (let count = 0; count < 40; count += 1) await postContact(web.origin, makeContactBody());

  await Promise.all(Array.from({ length: 5 }, () => startWorker(settings)));
  await waitFor('all mails', async () => (await countStates(database))['sent'] === 40, 60_000);

  expect(sink.received).toHaveLength(40);
  expect(new Set(sink.received.map(({ mail }) => mail.messageId)).size).toBe(40);
});
