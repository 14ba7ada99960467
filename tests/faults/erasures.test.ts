import { expect, onTestFinished } from 'vitest';
import { Day } from '../../shared/time.ts';
import { startWebhookReceiver } from '../support/crm/webhook-receiver.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { startWeb, startWorker } from '../support/delivery-fixture.ts';
import { storeSubmission } from '../support/ops-fixture.ts';
import { spawnOps } from '../support/run-ops.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { setUpFault } from './fault-fixture.ts';

const YEARS_AHEAD = '+900d';

/** One request whose export its receiver has taken and not answered yet; its mail is sent. */
async function setUpSlowExport({ respondAfterMs, lease }: { readonly respondAfterMs: number; readonly lease: number }) {
  const crm = await startWebhookReceiver();
  onTestFinished(() => crm.close());
  const fixture = await setUpFault({
    COOKIE_SECRET: 's'.repeat(32),
    CRM_PROVIDER: 'webhook',
    CRM_WEBHOOK_URL: `${crm.url}/leads`,
    CRM_WEBHOOK_SECRET: crm.secret,
    OUTBOUND_ALLOW: '127.0.0.1',
    FOLLOW_UP_REMINDER_AFTER: '1h',
    FOLLOW_UP_AFTER: '2h',
    WORKER_TIMINGS: JSON.stringify({ lease, attempt: lease - 1_000 }),
  });
  const web = await startWeb(fixture.settings);
  const worker = await startWorker(fixture.settings);
  crm.faults.push({ kind: 'slow', ms: respondAfterMs });
  await fixture.submit(web.origin);
  await waitFor('the export to be taken', () => crm.received.length === 1);
  await waitFor('the mail', () => fixture.sink.received.length === 1);
  const [id = ''] = fixture.accepted;
  const listStates = () =>
    fixture.database('deliveries').where({ submission_id: id }).orderBy('kind').orderBy('due_at').pluck('state');

  return { ...fixture, crm, id, worker, listStates, erase: () => spawnOps(fixture.settings, 'submissions', 'erase', id, '--yes') };
}

faultRow(85, 'Erased while an export runs: the CRM record is named, and nothing follows', async (chance) => {
  const { sink, crm, erase, listStates } = await setUpSlowExport({
    respondAfterMs: chance.between(2_000, 4_000),
    lease: 30_000,
  });

  const { exitCode, output } = await erase();

  expect(exitCode).toBe(0);
  expect(output).toMatch(new RegExp(`CRM \\(webhook, if that was set on [-\\d]+\\): ${crm.received[0]?.id}`));
  expect(output).not.toContain('not confirmed');
  // Of the mails one was sent; the erasure cancelled the other two.
  expect(await listStates()).toEqual(['sent', 'sent', 'cancelled', 'cancelled']);
  expect([sink.received.length, crm.requests.length]).toEqual([1, 1]);
});

faultRow(86, 'Erased after worker kill -9 in an export: the unconfirmed export is named, and none follows', async (chance) => {
  const { settings, crm, id, worker, erase, listStates } = await setUpSlowExport({
    respondAfterMs: 60_000,
    lease: 10_000,
  });
  await chance.letTimePass(1_000);
  await worker.stop('SIGKILL');

  const { exitCode, output } = await erase();
  expect(exitCode).toBe(0);
  expect(output).toContain(`CRM (webhook): an export of ${id} that was not confirmed`);

  await startWorker(settings);
  await waitFor('the end of all', async () => (await listStates()).every((state) => ['sent', 'cancelled'].includes(state)));
  expect(crm.requests).toHaveLength(1);
});

faultRow(87, 'Worker’s clock is years ahead: nothing is erased for its age until it is right again', async () => {
  const { database, settings } = await setUpFault({ CRM_PROVIDER: 'none' });
  const clock = await createFakeClock();
  onTestFinished(() => clock.remove());
  const old = await storeSubmission(database, { received_at: new Date(Date.now() - 800 * Day) });
  await storeSubmission(database);
  const listErased = () => database('contact_submissions').whereNotNull('anonymised_at').pluck('id');

  await clock.jump(YEARS_AHEAD);
  const fooled = await startWorker({ ...settings, ...clock.settings });
  await waitFor('the alert', () => /PostgreSQL's clock says.*privacy-upkeep-failed/.test(fooled.output()));
  expect(await listErased()).toEqual([]);
  await fooled.stop();

  await startWorker(settings);
  await waitFor('the old one', async () => (await listErased()).includes(old));
  expect(await listErased()).toEqual([old]);
});
