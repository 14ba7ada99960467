import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findFreePort } from '../../scripts/free-port.ts';
import { writeRedisUsers } from '../../shared/node/config/stack-secrets.ts';
import { createLogger } from '../../shared/node/logger.ts';
import { connectImpatiently } from '../../shared/node/redis/connect-redis.ts';
import { Second } from '../../shared/time.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { openDatabase } from '../support/database.ts';
import { migrateWell, planRoles } from '../support/database-roles.ts';
import { createRedisServer } from '../support/redis-server.ts';
import { runOps } from '../support/run-ops.ts';
import { startWebProcess, startWorkerProcess } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';

const PASSWORD = 'redis-password';

/** A Redis with the users of the stack. */
async function startGuardedRedis() {
  const aclFile = join(await mkdtemp(join(tmpdir(), 'test-acl-')), 'redis.acl');
  await writeFile(aclFile, writeRedisUsers(PASSWORD));
  const redis = await createRedisServer(['--aclfile', aclFile]);
  onTestFinished(() => redis.remove());
  await redis.start();
  const { host } = new URL(redis.url);

  return { redis, REDIS_URL: `redis://website:${PASSWORD}@${host}` };
}

test('web, worker and operator’s tool need no more rights than the stack gives them', async () => {
  const urls = await planRoles();
  const { REDIS_URL } = await startGuardedRedis();
  await migrateWell({ ...urls, REDIS_URL });
  const settings = {
    DATABASE_URL: urls.DATABASE_APP_URL,
    REDIS_URL,
    FOLLOW_UP_REMINDER_AFTER: '1s',
    FOLLOW_UP_AFTER: '2s',
    INSIGHTS_PASSWORD: 'open sesame',
  };
  const METRICS_PORT = String(await findFreePort());
  const web = await startWebProcess({ ...settings, METRICS_PORT });
  onTestFinished(async () => void (await web.stop()));
  const worker = await startWorkerProcess(settings);
  onTestFinished(async () => void (await worker.stop()));

  const body = makeContactBody();
  expect((await postContact(web.origin, body)).status).toBe(201);

  const app = openDatabase(urls.DATABASE_APP_URL, onTestFinished);
  await waitFor('three mails and the export', async () => {
    const rows = await app('deliveries').where({ submission_id: body.id, state: 'sent' });

    return rows.length === 4;
  });
  const unlocked = await fetch(`${web.origin}/api/insights/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password: 'open sesame' }),
  });
  expect(unlocked.status).toBe(204);
  const board = await fetch(`http://127.0.0.1:${METRICS_PORT}/queues/api/queues`);
  expect(board.status, await board.clone().text()).toBe(200);
  for (const { output } of [web, worker]) {
    expect(output()).not.toMatch(/NOPERM|NOAUTH|permission denied/);
  }

  const doctor = await runOps({ ...settings, DATABASE_URL: urls.DATABASE_URL }, 'doctor', '--json');
  expect(doctor.output).toMatch(/"check": ?"redis",\s*"status": ?"ok"/);
});

test('the role of web and worker may change rows and nothing else', async () => {
  const urls = await planRoles();
  await migrateWell({ ...urls, REDIS_URL: 'redis://localhost' });
  const app = openDatabase(urls.DATABASE_APP_URL, onTestFinished);

  for (const forbidden of [
    'drop table contact_submissions',
    'truncate contact_submissions',
    'alter table deliveries add column mine text',
    'create table mine (id int)',
    "insert into knex_migrations (name) values ('mine')",
    'create role mine',
  ]) {
    await expect(app.raw(forbidden), forbidden).rejects.toMatchObject({ code: '42501' });
  }
});

test('Redis’s user of the site may neither empty, search nor reconfigure it, nor touch other keys', async () => {
  const { redis, REDIS_URL } = await startGuardedRedis();
  const site = connectImpatiently(
    REDIS_URL,
    createLogger({ level: 'silent', process: 'test' }),
    5 * Second,
  );
  onTestFinished(async () => site.disconnect());
  await waitFor('the connection', () => site.status === 'ready');

  expect(await site.set('limit:mine', '1')).toBe('OK');
  for (const [name = '', ...parts] of [
    ['FLUSHALL'],
    ['FLUSHDB'],
    ['KEYS', '*'],
    ['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru'],
    ['SHUTDOWN'],
    ['REPLICAOF', '127.0.0.1', '1'],
    ['ACL', 'LIST'],
    ['SET', 'anything', '1'],
  ]) {
    await expect(site.call(name, ...parts), name).rejects.toThrow(/NOPERM/);
  }
  expect(await redis.command('PING')).toBe('PONG');
  await expect(redis.command('GET', 'limit:mine')).rejects.toThrow(/NOPERM/);
});
