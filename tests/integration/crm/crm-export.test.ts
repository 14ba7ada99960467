import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeContactBody, postContact } from '../../support/contact-request.ts';
import { setUpDeliveries } from '../../support/delivery-fixture.ts';
import { openWeb, openWorker } from '../../support/open-site.ts';
import { runOps } from '../../support/run-ops.ts';
import { waitFor } from '../../support/wait-for.ts';

test('exports without a provider are stored, are neither attempted nor overdue, and are sent once a provider is set', async () => {
  const { settings, sink, database, redis, crmFolder } = await setUpDeliveries({
    CRM_PROVIDER: 'none',
    FOLLOW_UP_REMINDER_AFTER: '1h',
    FOLLOW_UP_AFTER: '2h',
  });
  const web = await openWeb(settings);
  const worker = await openWorker(settings);
  await postContact(web.origin, makeContactBody());
  await waitFor('the mail', () => sink.received.length === 1);
  await waitFor('the end of the export’s job', async () => {
    const keys = (await redis.command('KEYS', 'bull:crm-export:delivery-*')) as string[];

    return keys.length === 0;
  });

  const read = () => database('deliveries').where({ kind: 'crm-export' }).first();
  expect(await read()).toMatchObject({ state: 'pending', attempts: 0, last_error: null });
  await database('deliveries').where({ kind: 'crm-export' }).update({ due_at: new Date(0) });
  expect((await runOps(settings, 'deliveries', 'list', '--overdue')).output).toContain('0 in all.');
  expect((await runOps(settings, 'deliveries', 'retry', '--dead')).exitCode).toBe(0);
  expect((await runOps(settings, 'doctor')).output).toContain(
    'Deliveries of kind crm-export that wait until CRM_PROVIDER names a provider: 1.',
  );
  expect(await read()).toMatchObject({ state: 'pending', attempts: 0 });
  expect(worker.output()).not.toContain('"alert"');

  await worker.stop();
  await openWorker({ ...settings, CRM_PROVIDER: 'file' });
  await waitFor('the export', async () => (await read())?.state === 'sent');
  expect(await readFile(join(crmFolder, 'submissions.csv'), 'utf8')).toContain('Example Sweets');
});
