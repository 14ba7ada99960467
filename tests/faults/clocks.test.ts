import { expect, onTestFinished } from 'vitest';
import { Day } from '../../shared/time.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { countStates, listStages, startWeb, startWorker } from '../support/delivery-fixture.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';
import { oneMail, setUpFault } from './fault-fixture.ts';

const delays = { CRM_PROVIDER: 'none', FOLLOW_UP_REMINDER_AFTER: '4s', FOLLOW_UP_AFTER: '8s' };

async function makeClock(): Promise<FakeClock> {
  const clock = await createFakeClock();
  onTestFinished(() => clock.remove());

  return clock;
}

/** Whether the clock of a web process is more than a day wrong. */
async function isFarOff(origin: string): Promise<boolean> {
  const { headers } = await fetch(`${origin}/health/live`);

  return Math.abs(Date.parse(headers.get('date') ?? '') - Date.now()) > 1 * Day;
}

for (const offset of ['+25h', '-25h']) {
  faultRow(41, `Worker’s clock jumps ${offset}: no mail is early, lost, double or late`, async (chance) => {
    const fixture = await setUpFault(delays);
    const clock = await makeClock();
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

  faultRow(41, `Web’s clock jumps ${offset}: no mail is early, lost, double or late`, async (chance) => {
    const fixture = await setUpFault(delays);
    const clock = await makeClock();
    const web = await startWeb({ ...fixture.settings, ...clock.settings });
    await startWorker(fixture.settings);
    await fixture.submit(web.origin);

    await chance.letTimePass(2_000);
    await clock.jump(offset);
    await waitFor('the jump to be seen', () => isFarOff(web.origin));
    await fixture.submit(web.origin);
    await waitFor('the mails', async () => (await countStates(fixture.database))['sent'] === 6);

    await fixture.expectMails();
  });
}

/** Clocks go forward (a day of 23 hours) and back (one of 25) after each of these moments. */
const changes = [
  { zone: 'Europe/Berlin', now: '2026-03-28 12:30:00+01', due: '2026-03-29T11:30:00.000Z' },
  { zone: 'America/New_York', now: '2026-10-31 12:30:00-04', due: '2026-11-01T16:30:00.000Z' },
];

for (const { zone, now, due } of changes) {
  faultRow(42, `Clocks of ${zone} change: 24 h are 86,400 s`, async () => {
    const fixture = await setUpFault({ ...oneMail, FOLLOW_UP_REMINDER_AFTER: '20h', FOLLOW_UP_AFTER: '24h' });
    const { database } = fixture;
    const [{ name } = { name: '' }] = await database
      .select<Array<{ name: string }>>(database.raw('current_database() as name'));
    // What the product asks for as now() is answered by this one, in the zone under test.
    await database.raw(`
      create schema fixed;
      create function fixed.now() returns timestamptz language sql as $$ select '${now}'::timestamptz $$;
      alter database "${name}" set search_path = fixed, pg_catalog, public;
      alter database "${name}" set timezone = '${zone}';
    `);
    const web = await startWeb({ ...fixture.settings, TZ: zone, TIME_ZONE: zone });

    expect((await fixture.submit(web.origin)).status).toBe(201);

    const row = await database('deliveries').where({ stage: 'due' }).first();
    expect(row?.due_at.toISOString()).toBe(due);
    expect(Number(row?.due_at) - Date.parse(now)).toBe(86_400_000);

    // The promise in the mail is written in the zone's own time, after the change.
    await database('contact_submissions').update({ received_at: new Date(now) });
    await database('deliveries').where({ stage: 'new' }).update({ due_at: new Date(now) });
    await startWorker({ ...fixture.settings, FOLLOW_UP_REMINDER_AFTER: '20h', FOLLOW_UP_AFTER: '24h', TZ: zone, TIME_ZONE: zone });
    await waitFor('the mail', () => fixture.sink.received.length === 1);
    expect(listStages(fixture.sink)).toEqual(['new']);
    const local = new Intl.DateTimeFormat('en-US', { timeZone: zone, hour: 'numeric', minute: '2-digit' });
    expect(fixture.sink.received[0]?.mail.text).toContain(local.format(new Date(due)));
    expect(local.format(new Date(due))).not.toBe(local.format(new Date(now)));
  });
}
