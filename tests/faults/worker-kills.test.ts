import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault, type FaultFixture } from './fault-fixture.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const untilAllSent = ({ database, accepted }: FaultFixture) =>
  waitFor('every mail to be recorded', async () => {
    const { sent } = await countStates(database);
    const { length } = await database('deliveries')
      .where({ kind: 'follow-up' })
      .where('due_at', '<', database.fn.now());

    return sent === length && length >= accepted.length;
  });

const findFirst = ({ database }: FaultFixture) =>
  database('deliveries').where({ stage: 'new' }).first();

faultRow(21, 'Worker kill -9 before effect: another processes it after the lease, once', async (chance) => {
  // Killed well before the mail would be aborted for being too slow.
  const timings = { lease: 6_000, attempt: 5_000 };
  const fixture = await setUpFault({ ...oneMail, WORKER_TIMINGS: JSON.stringify(timings) });
  const web = await startWeb(fixture.settings);
  const first = await startWorker(fixture.settings);
  fixture.sink.faults.push({ kind: 'hang-before' });
  await fixture.submit(web.origin);
  await waitFor('the claim', async () => (await findFirst(fixture))?.state === 'leased');
  await chance.letTimePass(1_500);
  await first.stop('SIGKILL');
  // Killed before it called the sink, the hang would hit the next worker.
  fixture.sink.faults.length = 0;

  await startWorker(fixture.settings);
  await untilAllSent(fixture);

  expect(await findFirst(fixture)).toMatchObject({ attempts: 2, lease_expiries: 1 });
  await fixture.expectMails();
});

faultRow(22, 'Worker kill -9 after the mail was taken, before it is recorded: at most one duplicate, same Message-ID', async (chance) => {
  const fixture = await setUpFault(oneMail);
  const web = await startWeb(fixture.settings);
  const first = await startWorker(fixture.settings);
  fixture.sink.faults.push({ kind: 'hang-after' });
  await fixture.submit(web.origin);
  await waitFor('the mail to be taken', () => fixture.sink.received.length === 1);
  await chance.letTimePass(1_000);
  await first.stop('SIGKILL');

  await startWorker(fixture.settings);
  await untilAllSent(fixture);

  expect(new Set(fixture.sink.received.map(({ mail }) => mail.messageId)).size).toBe(1);
  await fixture.expectMails({}, 1);
});

faultRow(23, 'Worker killed 10 times on one job: pending until the limit, then dead with an alert', async (chance) => {
  const fixture = await setUpFault({
    ...oneMail,
    WORKER_TIMINGS: JSON.stringify({
      lease: 3_000,
      attempt: 2_700,
      queue: { lockDuration: 500, stalledInterval: 300 },
    }),
  });
  const { database, sink, settings } = fixture;
  const web = await startWeb(settings);
  await fixture.submit(web.origin);

  for (let kill = 1; kill <= 10; kill += 1) {
    sink.faults.push({ kind: 'hang-before' });
    const worker = await startWorker(settings);
    await waitFor('the mail to be offered', () => sink.countOffers() === kill);
    await chance.letTimePass(300);
    await worker.stop('SIGKILL');
    expect(await findFirst(fixture)).toMatchObject({ state: 'leased', lease_expiries: kill - 1 });
  }
  const last = await startWorker(settings);
  await waitFor('the guard', async () => (await findFirst(fixture))?.state === 'dead');

  expect(await findFirst(fixture)).toMatchObject({ attempts: 10, lease_expiries: 10 });
  await waitFor('the alert', () => last.output().includes('"alert":"delivery-dead"'));
  expect(sink.received).toHaveLength(0);
  expect(await countStates(database)).toEqual({ dead: 1, pending: 3 });
  await fixture.expectMails();
});

faultRow(26, 'Event loop blocked longer than the lease: the zombie can’t complete it, at most one duplicate', async (chance) => {
  const fixture = await setUpFault(oneMail);
  const folder = makeTemporaryFolder();
  const blocker = join(folder, 'block');
  await writeFile(blocker, '');
  const web = await startWeb(fixture.settings);
  const zombie = await startWorker(
    { ...fixture.settings, WORKER_BLOCKS_WHILE: blocker },
    'tests/support/blocking-worker-entry.ts',
  );
  await fixture.submit(web.origin);
  await waitFor('the mail to be taken', () => fixture.sink.received.length === 1);

  await startWorker(fixture.settings);
  await untilAllSent(fixture);
  const record = await findFirst(fixture);
  await chance.letTimePass(1_000);
  await rm(blocker);
  await waitFor('the zombie to wake', () =>
    zombie.output().includes('A delivery was sent after its lease had expired.'),
  );

  expect(await findFirst(fixture)).toEqual(record);
  expect(record).toMatchObject({ attempts: 2, lease_expiries: 1 });
  await fixture.expectMails({}, 1);
});
