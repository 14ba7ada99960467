import { Day } from '../../shared/time.ts';
import { createFakeClock } from './fake-clock.ts';
import { countStates, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { setUpFault } from './fault-fixture.ts';

const delays = { CRM_PROVIDER: 'none', FOLLOW_UP_REMINDER_AFTER: '4s', FOLLOW_UP_AFTER: '8s' };

/** Returns whether a web process's clock is off by more than a day. */
async function isDayOff(origin: string): Promise<boolean> {
  const { headers } = await fetch(`${origin}/health/live`);

  return Math.abs(Date.parse(headers.get('date') ?? '') - Date.now()) > 1 * Day;
}

for (const offset of ['+25h', '-25h']) {
  faultRow(41, `The worker’s clock jumps by ${offset}: no mail is early, late, lost or sent twice`, async (chance) => {
    const fixture = await setUpFault(delays);
    const clock = await createFakeClock();
    const web = await startWeb(fixture.settings);
    await startWorker({ ...fixture.settings, ...clock.settings });
    await fixture.submit(web.origin);
    await chance.letTimePass(2_000);

    await clock.jump(offset);
    await waitFor('the mails', async () => (await countStates(fixture.database))['sent'] === 3);
    await fixture.submit(web.origin);
    await waitFor('more mails', async () => (await countStates(fixture.database))['sent'] === 6);

    await fixture.expectMails();
  });

  faultRow(41, `Web’s clock jumps by ${offset}: no mail is early, late, lost or sent twice`, async (chance) => {
    const fixture = await setUpFault(delays);
    const clock = await createFakeClock();
    const web = await startWeb({ ...fixture.settings, ...clock.settings });
    await startWorker(fixture.settings);
    await fixture.submit(web.origin);

    await chance.letTimePass(2_000);
    await clock.jump(offset);
    await waitFor('web to notice the jump', () => isDayOff(web.origin));
    await fixture.submit(web.origin);
    await waitFor('the mails', async () => (await countStates(fixture.database))['sent'] === 6);

    await fixture.expectMails();
  });
}
