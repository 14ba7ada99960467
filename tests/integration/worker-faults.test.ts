import { describe, expect, onTestFinished, test } from 'vitest';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { countStates, setUpDeliveries, startWorker } from '../support/delivery-fixture.ts';
import { openWeb, openWorker } from '../support/open-site.ts';
import { startProcess } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';

/** One mail at once and nothing else within the test's time. */
const quietSettings = {
  FOLLOW_UP_REMINDER_AFTER: '1h',
  FOLLOW_UP_AFTER: '2h',
  CRM_PROVIDER: 'none',
};

describe('a worker killed by force', () => {
  test('after the mail was taken repeats it at most once, under the same Message-ID', async () => {
    const { settings, database, sink } = await setUpDeliveries(quietSettings);
    const web = await openWeb(settings);
    const first = await startWorker(settings);
    sink.faults.push({ kind: 'hang-after' });
    await postContact(web.origin, makeContactBody());
    await waitFor('the mail to be taken', () => sink.received.length === 1);
    await first.stop('SIGKILL');

    await openWorker(settings);
    await waitFor('the delivery to be recorded', async () => (await countStates(database))['sent'] === 1);

    expect(sink.received).toHaveLength(2);
    expect(new Set(sink.received.map(({ mail }) => mail.messageId)).size).toBe(1);
  });
});

test('a worker whose sweep hangs exits, and logs it once', async () => {
  const { settings, database } = await setUpDeliveries({
    ...quietSettings,
    WORKER_TIMINGS: JSON.stringify({ hang: 5_000, alertAfter: 600_000 }),
  });
  const web = await openWeb(settings);
  await postContact(web.origin, makeContactBody());
  const worker = startProcess('tests/support/worker-entry.ts', settings);
  onTestFinished(async () => void (await worker.stop('SIGKILL')));
  await waitFor('the mail', async () => (await countStates(database))['sent'] === 1);

  await database.transaction(async (transaction) => {
    await transaction.raw('set local idle_in_transaction_session_timeout = 0');
    // Every sweep waits for it longer than a worker may be silent.
    await transaction.raw('lock table deliveries in access exclusive mode');
    await waitFor('the worker to end', worker.hasExited, 60_000);
  });

  expect(await worker.stop()).toBe(1);
  const lines = worker.output().split('\n').filter((line) => line.includes('"level":60'));
  expect(lines).toEqual([expect.stringContaining('"alert":"worker-hangs"')]);
  // Another worker sends it.
  expect(await database('alerts').where({ channel: 'mail' })).toMatchObject([{ name: 'worker-hangs', count: 1 }]);
});

describe('an SMTP server', () => {
  test('that refuses permanently makes the delivery dead and raises an alert', async () => {
    const { settings, database, sink } = await setUpDeliveries(quietSettings);
    const web = await openWeb(settings);
    const worker = await openWorker(settings);
    sink.faults.push({ kind: 'refuse', code: 550 });

    await postContact(web.origin, makeContactBody());
    await waitFor('the delivery to be dead', async () => (await countStates(database))['dead'] === 1);

    expect(await database('deliveries').where({ stage: 'new' }).first()).toMatchObject({
      last_error: 'smtp-550',
      attempts: 1,
    });
    await expect.poll(worker.output, { timeout: 10_000 }).toContain('"alert":"delivery-dead"');
    expect(worker.output()).not.toContain('ada@example.org');
  });
});
