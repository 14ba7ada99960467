import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findFreePort } from '../../scripts/free-port.ts';
import { writeRedisUsers } from '../../shared/node/config/stack-secrets.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { createProducerConnection } from '../../shared/node/redis/connections.ts';
import { signLinkToken, type LinkPurpose } from '../../shared/node/mail/signed-action-link.ts';
import { pathTo } from '../../shared/paths.ts';
import { Second } from '../../shared/time.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { openDatabase } from '../support/database.ts';
import { runMigrations, planRoles } from '../support/database-roles.ts';
import { openWeb, openWorker } from '../support/open-site.ts';
import { startRedisServer } from '../support/delivery-fixture.ts';
import { runOps } from '../support/run-ops.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const COOKIE_SECRET = 'c'.repeat(32);
const passwords = { default: 'unused', site: 'redis-password' };

/** Starts a Redis with the stack's ACL users. */
async function startRedisWithUsers() {
  const aclFile = join(makeTemporaryFolder({ 'redis.acl': writeRedisUsers(passwords) }), 'redis.acl');
  const redis = await startRedisServer(['--aclfile', aclFile], 'health:any@');
  const { host } = new URL(redis.url);

  return { redis, REDIS_URL: `redis://website:${passwords.site}@${host}` };
}

/** Sends all other requests from visitors and sales that make the web process write. */
async function useEveryForm(origin: string, submissionId: string, database: Database): Promise<void> {
  const post = async (path: string, fields: Record<string, string> = {}) => {
    const { status } = await fetch(origin + path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    });

    return [path, status];
  };
  const sign = (purpose: LinkPurpose, id: string) => signLinkToken(purpose, id, [COOKIE_SECRET]);
  const fields = { name: 'Ada', email: 'ada@example.org', company: 'Sweets' };
  expect(await post('/contact', fields)).toEqual(['/contact', 303]);
  expect(await post('/newsletter', { email: 'ada@example.org' })).toEqual(['/newsletter', 303]);
  const { id } = (await database('newsletter_subscriptions').first('id')) ?? { id: '' };

  for (const action of ['release', 'spam']) {
    const held = makeContactBody({ spam: { filled_in_ms: 500 } });
    expect((await postContact(origin, held)).status).toBe(201);
    const path = pathTo.heldRequest(sign('held', held.id));
    expect(await post(path, { action })).toEqual([path, 200]);
    const row = await database('contact_submissions').where({ id: held.id }).first();
    expect([row?.released_at !== null, row?.spam_at !== null]).toEqual([action === 'release', action === 'spam']);
  }

  for (const path of [
    pathTo.followUp(sign('follow-up', submissionId)),
    pathTo.newsletterConfirmation(sign('newsletter-confirm', id)),
    pathTo.newsletterUnsubscription(sign('newsletter-unsubscribe', id)),
  ]) {
    expect(await post(path)).toEqual([path, 200]);
  }
}

test('web, the worker and the operators’ tool need only the privileges that the stack grants', async () => {
  const urls = await planRoles();
  const { REDIS_URL } = await startRedisWithUsers();
  await runMigrations({ ...urls, REDIS_URL });
  const settings = {
    DATABASE_URL: urls.DATABASE_APP_URL,
    REDIS_URL,
    FOLLOW_UP_REMINDER_AFTER: '1s',
    // The acknowledgment must be sent before this time, and the machine may be busy.
    FOLLOW_UP_AFTER: '8s',
    INSIGHTS_PASSWORD: 'open sesame',
    SALES_EMAIL: 'anna@sales.example, ben@sales.example',
    SALES_ASSIGNMENT: 'rotate',
    COOKIE_SECRET,
  };
  const METRICS_PORT = String(await findFreePort());
  const webSettings = { ...settings, DATABASE_URL: urls.DATABASE_WEB_URL };
  const web = await openWeb({ ...webSettings, METRICS_PORT });
  const worker = await openWorker(settings);

  const body = makeContactBody();
  expect((await postContact(web.origin, body)).status).toBe(201);

  const app = openDatabase(urls.DATABASE_APP_URL, onTestFinished);
  await waitFor('four mails and the export', async () => {
    const rows = await app('deliveries').where({ submission_id: body.id, state: 'sent' });

    return rows.length === 5;
  });
  const unlocked = await fetch(`${web.origin}/api/insights/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ password: 'open sesame' }),
  });
  expect(unlocked.status).toBe(204);
  const metrics = await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text();
  expect(metrics).toMatch(/^site_deliveries\{/m);
  await useEveryForm(web.origin, body.id, app);
  for (const { output } of [web, worker]) {
    expect(output()).not.toMatch(/NOPERM|NOAUTH|permission denied/);
  }
  await expect(openDatabase(urls.DATABASE_WEB_URL, onTestFinished)('sales_rotation')).rejects.toMatchObject({ code: '42501' });

  const doctor = await runOps({ ...settings, DATABASE_URL: urls.DATABASE_URL }, 'doctor', '--json');
  expect(doctor.output).toMatch(/"check": ?"redis",\s*"status": ?"ok"/);
});

test('the site’s Redis user can’t flush, scan or reconfigure Redis, or use other keys', async () => {
  const { redis, REDIS_URL } = await startRedisWithUsers();
  const site = createProducerConnection(REDIS_URL, createLogger({ level: 'silent', process: 'test' }), 5 * Second);
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
