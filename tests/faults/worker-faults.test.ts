import { expect, onTestFinished, test } from 'vitest';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { countStates, setUpDeliveries } from '../support/delivery-fixture.ts';
import { openWeb } from '../support/open-site.ts';
import { startProcess } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { oneMail } from './fault-fixture.ts';

test('a worker whose sweep hangs logs one alert and exits with 1', async () => {
  const { settings, database } = await setUpDeliveries({
    ...oneMail,
    WORKER_TIMINGS: JSON.stringify({ hang: 5_000, alertAfter: 600_000 }),
  });
  const web = await openWeb(settings);
  await postContact(web.origin, makeContactBody());
  const worker = startProcess('tests/support/worker-entry.ts', settings);
  onTestFinished(async () => void (await worker.stop('SIGKILL')));
  await waitFor('the mail', async () => (await countStates(database))['sent'] === 1);

  await database.transaction(async (transaction) => {
    await transaction.raw('set local idle_in_transaction_session_timeout = 0');
    // Sweeps wait for this lock longer than a worker may go without one.
    await transaction.raw('lock table deliveries in access exclusive mode');
    await waitFor('the worker to end', worker.hasExited, 60_000);
  });

  expect(await worker.stop()).toBe(1);
  const lines = worker.output().split('\n').filter((line) => line.includes('"level":60'));
  expect(lines).toEqual([expect.stringContaining('"alert":"worker-hangs"')]);
  // The alert is stored, so that another worker can send it.
  expect(await database('alerts').where({ channel: 'mail' })).toMatchObject([{ name: 'worker-hangs', count: 1 }]);
});
