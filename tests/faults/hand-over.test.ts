import { expect } from 'vitest';
import { startWeb, startWorker } from '../support/delivery-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { oneMail, setUpFault } from './fault-fixture.ts';
import { faultRow } from './fault-row.ts';

const KILLS = 5;

faultRow(80, 'kill -9 of the worker after each SMTP final dot: two mails with one Message-ID are sent, then the delivery is dead, with an alert', async (chance) => {
  const fixture = await setUpFault({
    ...oneMail,
    WORKER_TIMINGS: JSON.stringify({ lease: 1_500, attempt: 1_300 }),
  });
  const { database, sink, settings } = fixture;
  const web = await startWeb(settings);
  await fixture.submit(web.origin);
  const findFirst = () => database('deliveries').where({ stage: 'new' }).first();

  for (let kill = 1; kill <= KILLS; kill += 1) {
    sink.faults.push({ kind: 'hang-after' });
    const worker = await startWorker(settings);
    await waitFor(
      'the mail to be received or its delivery to be dead',
      async () => sink.received.length >= kill || (await findFirst())?.state === 'dead',
    );
    await chance.letTimePass(200);
    if (sink.received.length < kill) {
      await waitFor('the alert', () => worker.output().includes('"alert":"delivery-dead"'));
    }
    await worker.stop('SIGKILL');
    if (sink.received.length < kill) break;
  }

  expect(await findFirst()).toMatchObject({ state: 'dead', lost_answers: 2, maybe_duplicate: true });
  expect(sink.received).toHaveLength(2);
  expect(new Set(sink.received.map(({ mail }) => mail.messageId)).size).toBe(1);
  await fixture.expectMails({}, 1);
});
