import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { setUpFault, longTimeoutWorker } from './fault-fixture.ts';

faultRow(12, 'FLUSHALL at random times: nothing lost, nothing late', async (chance) => {
  const fixture = await setUpFault({
    ...longTimeoutWorker,
    CRM_PROVIDER: 'none',
    FOLLOW_UP_REMINDER_AFTER: '2s',
    FOLLOW_UP_AFTER: '4s',
  });
  const { database, redis } = fixture;
  const web = await startWeb(fixture.settings);
  await startWorker(fixture.settings);

  for (let round = 1; round <= 4; round += 1) {
    await Promise.all([1, 2].map(() => fixture.submit(web.origin)));
    await chance.letTimePass(1_500);
    await redis.command('FLUSHALL');
  }
  await waitFor('all mails', async () => (await countStates(database))['sent'] === 24);

  await fixture.expectMails();
});
