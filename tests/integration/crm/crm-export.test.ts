import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listPauses } from '../../../shared/node/deliveries/delivery-pauses.ts';
import {
  listPendingDeliveries,
  readLongestWaitMs,
  readOldestOverdueMs,
} from '../../../shared/node/deliveries/sweep-queries.ts';
import { createSiteStateReader } from '../../../shared/node/monitoring/read-site-state.ts';
import { createResponsePromise } from '../../../shared/node/response-promise/response-promise.ts';
import { makeContactBody, postContact } from '../../support/contact-request.ts';
import { setUpDeliveries } from '../../support/delivery-fixture.ts';
import { startLocalServer } from '../../support/local-server.ts';
import { openWeb, openWorker } from '../../support/open-site.ts';
import { runOps } from '../../support/run-ops.ts';
import { waitFor } from '../../support/wait-for.ts';

/** A CRM that accepts every call, never responds and counts the calls. */
async function startSilentCrm() {
  let calls = 0;
  const origin = await startLocalServer(() => {
    calls += 1;
  });

  return { url: `${origin}/`, countCalls: () => calls };
}

const REQUESTS = 8;

async function setUpSilentCrm() {
  const crm = await startSilentCrm();
  const fixture = await setUpDeliveries({
    CRM_PROVIDER: 'webhook',
    CRM_WEBHOOK_URL: crm.url,
    CRM_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    OUTBOUND_ALLOW: '127.0.0.1',
    FOLLOW_UP_REMINDER_AFTER: '1h',
    FOLLOW_UP_AFTER: '2h',
  });

  return { ...fixture, crm };
}

describe('a CRM that never responds', () => {
  test('delays no mail', async () => {
    const { settings, sink, crm, database } = await setUpSilentCrm();
    const web = await openWeb(settings);
    await openWorker(settings);

    for (let count = 0; count < REQUESTS; count += 1) await postContact(web.origin, makeContactBody());
    await waitFor('all mails', () => sink.received.length === REQUESTS, 10_000);

    await waitFor('a failed export', async () => {
      const row = await database('deliveries').whereNotNull('last_error').first();

      return row?.last_error === 'http-timed-out' || row?.last_error === 'timed-out';
    });
    // On a busy machine the first attempt may time out before it reaches the CRM.
    await waitFor('a call', () => crm.countCalls() > 0);
  });
});

test('exports without a provider are stored, are neither tried nor overdue, and are sent once a worker has one', async () => {
  const { settings, sink, database, redis, crmFolder } = await setUpDeliveries({
    CRM_PROVIDER: 'none',
    FOLLOW_UP_REMINDER_AFTER: '1h',
    FOLLOW_UP_AFTER: '2h',
  });
  const web = await openWeb(settings);
  const worker = await openWorker(settings);
  await postContact(web.origin, makeContactBody());
  await waitFor('the mail', () => sink.received.length === 1);
  await waitFor('the export’s job to be dropped', async () => {
    const keys = (await redis.command('KEYS', 'bull:crm-export:delivery-*')) as string[];

    return keys.length === 0;
  });

  const read = () => database('deliveries').where({ kind: 'crm-export' }).first();
  expect(await read()).toMatchObject({ state: 'pending', attempts: 0, last_error: null });
  await database('deliveries').where({ kind: 'crm-export' }).update({ due_at: new Date(0) });
  expect(await readOldestOverdueMs(database)).toBe(0);
  expect(await readLongestWaitMs(database)).toBe(0);
  expect(await listPauses(database)).toEqual([]);
  const kinds: string[] = [];
  for await (const page of listPendingDeliveries(database)) kinds.push(...page.map(({ kind }) => kind));
  expect(kinds).toEqual(['follow-up', 'follow-up']);
  const siteState = await createSiteStateReader({ database, promise: createResponsePromise({ reminderAfter: 1, dueAfter: 2 }) })();
  expect(siteState.oldestDueMs.get('crm-export')).toBe(0);
  expect((await runOps(settings, 'deliveries', 'list', '--overdue')).output).toContain('0 in all.');
  expect((await runOps(settings, 'deliveries', 'retry', '--dead')).exitCode).toBe(0);
  expect((await runOps(settings, 'doctor')).output).toContain(
    '1 of crm-export wait until CRM_PROVIDER names a provider.',
  );
  expect(await read()).toMatchObject({ state: 'pending', attempts: 0 });
  expect(worker.output()).not.toContain('"alert"');

  await worker.stop();
  await openWorker({ ...settings, CRM_PROVIDER: 'file' });
  await waitFor('the export', async () => (await read())?.state === 'sent');
  expect(await readFile(join(crmFolder, 'submissions.csv'), 'utf8')).toContain('Example Sweets');
});
