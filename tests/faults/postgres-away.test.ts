import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { createPostgresServer, type PostgresServer } from '../../scripts/embedded-postgres.ts';
import { createDatabase } from '../../shared/node/database.ts';
import { migrateDatabase } from '../../shared/node/migrate.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { startWebProcess, startWorkerProcess } from '../support/site-process.ts';
import { startSmtpSink } from '../support/smtp-sink.ts';
import { createRedisServer } from '../support/redis-server.ts';
import { waitFor } from '../support/wait-for.ts';

let postgres: PostgresServer;

beforeEach(async () => {
  postgres = await createPostgresServer({
    dataFolder: await mkdtemp(join(tmpdir(), 'test-postgres-')),
  });
  await postgres.start();
  await migrateDatabase(postgres.url);

  return () => postgres.remove();
});

async function startWeb() {
  const web = await startWebProcess({
    DATABASE_URL: postgres.url,
    RATE_LIMIT_CONTACT: '1000/10m',
  });
  onTestFinished(async () => {
    await web.stop();
  });

  return web;
}

const readReady = (origin: string) =>
  fetch(`${origin}/health/ready`).then(async (answer) => ({
    ...((await answer.json()) as { postgres: string }),
    status: answer.status,
  }));

test('while PostgreSQL is away the form answers 503, pages are served, and it comes back by itself', async () => {
  const web = await startWeb();
  expect((await postContact(web.origin, makeContactBody())).status).toBe(201);
  await postgres.kill();

  const body = makeContactBody();
  const refused = await postContact(web.origin, body);
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({ code: 'unavailable', status: 503 });
  const form = await fetch(`${web.origin}/contact`, {
    method: 'POST',
    body: new URLSearchParams({ name: 'Ada <b>', email: 'ada@example.org', company: 'Sweets' }),
  });
  expect(form.status).toBe(503);
  expect(form.headers.get('retry-after')).not.toBeNull();
  expect(await form.text()).toContain('Ada &lt;b&gt;');
  for (const path of ['/', '/contact', '/about']) {
    expect((await fetch(web.origin + path)).status).toBe(200);
  }
  expect((await fetch(`${web.origin}/health/live`)).status).toBe(200);
  expect(await readReady(web.origin)).toMatchObject({ status: 503, postgres: 'down' });

  await postgres.start();
  await waitFor('web to be ready', async () => (await readReady(web.origin)).status === 200);
  expect((await postContact(web.origin, body)).status).toBe(201);
});

test('connections that the server ends while idle are replaced before a visitor notices', async () => {
  const web = await startWeb();
  await Promise.all([1, 2, 3, 4].map(() => postContact(web.origin, makeContactBody())));
  const database = createDatabase(postgres.url, 'test');
  onTestFinished(() => database.destroy());
  const { rowCount } = await database.raw<{ rowCount: number }>(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'web'",
  );
  expect(rowCount).toBeGreaterThan(0);

  const answers = await Promise.all([1, 2, 3, 4].map(() => postContact(web.origin, makeContactBody())));

  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
});

test('web starts without PostgreSQL and joins when it comes', async () => {
  await postgres.kill();
  const web = await startWeb();
  expect(await readReady(web.origin)).toMatchObject({ status: 503, postgres: 'down' });

  await postgres.start();
  await waitFor('web to be ready', async () => (await readReady(web.origin)).status === 200);

  expect((await postContact(web.origin, makeContactBody())).status).toBe(201);
});

test('a restart in the middle of the transaction leaves all rows or none, and a retry makes one', async () => {
  const web = await startWeb();
  const watcher = createDatabase(postgres.url, 'watcher');
  await watcher.raw(`
    create function hold() returns trigger language plpgsql as
      $$ begin perform pg_sleep(2); return new; end $$;
    create trigger hold before insert on deliveries for each statement execute function hold();
  `);
  const body = makeContactBody();

  const answering = postContact(web.origin, body);
  await waitFor('the transaction to be in its middle', async () => {
    const { rows } = await watcher.raw<{ rows: unknown[] }>(
      "select 1 from pg_stat_activity where wait_event = 'PgSleep'",
    );

    return rows.length > 0;
  });
  await watcher.destroy();
  await postgres.stop('immediate');
  const interrupted = await answering;
  await postgres.start();

  expect(interrupted.status).toBe(503);
  const database = createDatabase(postgres.url, 'test');
  onTestFinished(() => database.destroy());
  expect(await database('contact_submissions')).toHaveLength(0);
  expect(await database('deliveries')).toHaveLength(0);
  await database.raw('drop trigger hold on deliveries');
  expect((await postContact(web.origin, body)).status).toBe(201);
  expect(await database('contact_submissions')).toHaveLength(1);
  expect(await database('deliveries')).toHaveLength(4);
});

test('the worker survives a restart and does what came due meanwhile', async () => {
  const redis = await createRedisServer();
  await redis.start();
  const sink = await startSmtpSink();
  const settings = {
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    SMTP_URL: sink.url,
    CRM_PROVIDER: 'none',
    FOLLOW_UP_REMINDER_AFTER: '1s',
    FOLLOW_UP_AFTER: '2s',
  };
  const web = await startWebProcess(settings);
  const worker = await startWorkerProcess(settings);
  onTestFinished(async () => {
    await web.stop();
    await worker.stop();
    await sink.close();
    await redis.remove();
  });
  await postContact(web.origin, makeContactBody());
  await postgres.stop('immediate');
  const dueAt = performance.now() + 3_000;
  await waitFor('all mails to be due', () => performance.now() > dueAt);
  await postgres.start();

  await waitFor('the three mails', () => sink.received.length === 3, 60_000);

  expect(new Set(sink.received.map(({ mail }) => mail.messageId)).size).toBe(3);
  expect(worker.hasExited()).toBe(false);
});
