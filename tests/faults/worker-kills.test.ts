import { expect } from 'vitest';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault, type FaultFixture } from './fault-fixture.ts';

const untilAllSent = ({ database, accepted }: FaultFixture) =>
  waitFor('every mail to be recorded', async () => {
    const { sent } = await countStates(database);
    const { length } = await database('deliveries')
      .where({ kind: 'follow-up' })
      .where('due_at', '<', database.fn.now());

    return sent === length && length >= accepted.length;
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
