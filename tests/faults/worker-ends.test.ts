import { once } from 'node:events';
import { expect } from 'vitest';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault } from './fault-fixture.ts';

const MAX_SHUTDOWN_MS = 25_000;

faultRow(24, 'SIGTERM to the worker during a slow mail: it completes the mail, leases no other deliveries, and exits with 0', async (chance) => {
  const fixture = await setUpFault({
    ...oneMail,
    WORKER_TIMINGS: JSON.stringify({ lease: 60_000, attempt: 20_000 }),
  });
  const { database, sink, settings } = fixture;
  const web = await startWeb(settings);
  const worker = await startWorker(settings);
  const held = new AbortController();
  sink.faults.push({ kind: 'hold', until: once(held.signal, 'abort') });
  await fixture.submit(web.origin);
  await waitFor('the mail', () => sink.received.length === 1);

  const startedAt = performance.now();
  const ending = worker.stop();
  await waitFor('the shutdown to begin', () => worker.output().includes('Shutting down.'));
  await fixture.submit(web.origin);
  await chance.letTimePass(3_000);
  held.abort();

  expect(await ending).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(MAX_SHUTDOWN_MS);
  expect(sink.countOffers()).toBe(1);
  expect(await countStates(database)).toEqual({ sent: 1, pending: 7 });
  await startWorker(settings);
  await waitFor('the other mail', async () => (await countStates(database))['sent'] === 2);
  await fixture.expectMails();
});
