import { once } from 'node:events';
import { expect } from 'vitest';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { makeContactBody } from '../support/contact-request.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, longTimeoutWorker, setUpFault } from './fault-fixture.ts';

const MAX_SHUTDOWN_MS = 25_000;

faultRow(24, 'Worker SIGTERM during slow SMTP: completes what it began, leases nothing more, exit 0', async (chance) => {
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
  await waitFor('the mail to be taken', () => sink.received.length === 1);

  const startedAt = performance.now();
  const ending = worker.stop();
  await waitFor('the worker to hear of it', () => worker.output().includes('Shutting down.'));
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

faultRow(24, 'Worker SIGTERM while SMTP never responds: returns the mail to pending, exit 0', async (chance) => {
  const fixture = await setUpFault({
    ...oneMail,
    WORKER_TIMINGS: JSON.stringify({ lease: 6_000, attempt: 5_000 }),
  });
  const { database, sink, settings } = fixture;
  const web = await startWeb(settings);
  const worker = await startWorker(settings);
  sink.faults.push({ kind: 'hang-before' });
  await fixture.submit(web.origin);
  await waitFor('the mail to be offered', () => sink.countOffers() === 1);
  await chance.letTimePass(1_000);

  const startedAt = performance.now();
  expect(await worker.stop()).toBe(0);
  expect(performance.now() - startedAt).toBeLessThan(MAX_SHUTDOWN_MS);

  expect(await countStates(database)).toEqual({ pending: 4 });
  await startWorker(settings);
  await waitFor('the mail', async () => (await countStates(database))['sent'] === 1);
  await fixture.expectMails();
});

faultRow(25, 'Five workers race for 500 due rows: each is processed once', async () => {
  const count = 500;
  const fixture = await setUpFault({ ...oneMail, ...longTimeoutWorker });
  const web = await startWeb(fixture.settings);
  // As the form does: again, under the same id, where the site is too busy to store it.
  const submitUntilTaken = () => {
    const body = makeContactBody();

    return waitFor('a request to be taken', async () => (await fixture.submit(web.origin, body)).ok);
  };
  for (let posted = 0; posted < count; posted += 10) {
    await Promise.all(Array.from({ length: 10 }, submitUntilTaken));
  }
  expect(fixture.accepted).toHaveLength(count);

  await Promise.all(Array.from({ length: 5 }, () => startWorker(fixture.settings)));
  await waitFor(
    'all mails',
    async () => (await countStates(fixture.database))['sent'] === count,
    120_000,
  );

  expect(fixture.sink.received).toHaveLength(count);
  await fixture.expectMails();
});
