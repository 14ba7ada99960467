import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { makeHeldMail } from '../../../jobs/held-requests/send-held-mail.ts';
import { subscribeToAlerts } from '../../../shared/node/logging/raised-alerts.ts';
import { logger, makeFailing, one, setUp, settings } from './mail-rounds.ts';

describe('a mailbox that refuses a mail for the moment, while another takes it', () => {
  const DEFERRED = 'owner@example.com';

  async function deferOne() {
    const fixture = await setUp();
    const { sink, round, hold } = fixture;
    sink.refusedRecipients.set(DEFERRED, 450);
    await hold('Sweets');
    await round();
    expect(sink.received).toHaveLength(1);
    const alerts: string[] = [];
    onTestFinished(subscribeToAlerts(({ name }) => alerts.push(name)));
    /** Who each mail is for, and what it lists. */
    const listMails = () =>
      sink.received.map(({ mail }) => [
        mail.to?.map(({ address }) => address),
        mail.text?.match(/^(?:\w+ )?Sweets$/gm),
      ]);

    return { ...fixture, alerts, listMails };
  }

  test('gets it alone, under the same Message-ID, once it takes mails again; who has it hears nothing more', async () => {
    const { sink, round, letPass, listMails } = await deferOne();

    await round();
    await letPass('31 seconds');
    await round();
    sink.refusedRecipients.clear();
    await round();
    expect(sink.countOffers()).toBe(2);
    await letPass('1 minute');
    await round();
    await letPass('5 minutes');
    await round();

    expect(listMails()).toEqual([
      [settings.sales, ['Sweets']],
      [[DEFERRED], ['Sweets']],
    ]);
    expect(sink.received[1]?.mail.messageId).toBe(sink.received[0]?.mail.messageId);
  });

  test('delays no later mail, nor brings one sooner', async () => {
    const { sink, round, hold, letPass, listMails } = await deferOne();
    await hold('Other Sweets');

    await letPass('59 minutes');
    await round();
    expect(sink.received).toHaveLength(1);
    await letPass('1 minute');
    await round();
    sink.refusedRecipients.clear();
    for (let rounds = 0; rounds < 3; rounds += 1) {
      await letPass('5 minutes');
      await round();
    }

    expect(listMails()).toEqual([
      [settings.sales, ['Sweets']],
      [settings.sales, ['Other Sweets']],
      [[DEFERRED], ['Sweets']],
      [[DEFERRED], ['Other Sweets']],
    ]);
  });

  test('waits for no other that refuses many mails', async () => {
    const { services, sink, hold, letPass } = await setUp();
    const [full, busy] = ['owner@example.com', 'busy@example.com'];
    const round = makeHeldMail(services, { ...settings, sales: ['sales@example.com', full, busy] });
    sink.refusedRecipients.set(full, 452);
    for (let hour = 1; hour <= 10; hour += 1) {
      if (hour === 10) sink.refusedRecipients.set(busy, 450);
      await hold('Sweets');
      await round();
      await letPass('1 hour');
    }
    sink.refusedRecipients.delete(busy);
    // More than are tried while the first one of them waits for its next attempt.
    for (let rounds = 0; rounds < 20; rounds += 1) {
      await round();
      await letPass('30 seconds');
    }

    expect(sink.received).toHaveLength(11);
    expect(sink.received[10]?.mail.to?.map(({ address }) => address)).toEqual([full, busy]);
  });

  test('gets nothing that was decided since', async () => {
    const { database, sink, round, hold, letPass, listSubjects } = await deferOne();
    await database('contact_submissions').update({ spam_at: database.fn.now() });
    sink.refusedRecipients.clear();
    await letPass('5 minutes');
    await round();
    await hold('Other Sweets');
    await round();

    expect(listSubjects()).toEqual([one]);
  });

  test('gets none any more when it is no mailbox of sales', async () => {
    const { services, sink, letPass, listSubjects } = await deferOne();
    sink.refusedRecipients.clear();
    const changed = makeHeldMail(services, { ...settings, sales: ['Sales <sales@example.com>', 'new@example.com'] });
    await letPass('5 minutes');
    await changed();
    await letPass('5 minutes');
    await changed();

    expect(listSubjects()).toEqual([one]);
  });

  test.each([
    ['for the moment', 450, 'recipient-deferred', 2],
    ['permanently', 550, 'recipient-refused', 1],
  ] as const)('is an alert when it refuses the next attempt %s, and is not tried without an end', async (_how, code, alert, attempts) => {
    const { sink, round, letPass, alerts } = await deferOne();
    sink.refusedRecipients.set(DEFERRED, code);
    for (let rounds = 0; rounds < 2; rounds += 1) {
      await letPass('5 minutes');
      await round();
    }
    expect(alerts).toEqual(Array.from({ length: attempts }, () => alert));
    expect(sink.countOffers()).toBe(1 + attempts);

    await letPass('72 hours');
    sink.refusedRecipients.clear();
    await round();
    expect(sink.received).toHaveLength(1);
  });

  test.each([1, 5])('gets it twice at most, whatever dies %i times between handing over and recording it', async (deaths) => {
    const { services, sink, round, letPass } = await deferOne();
    sink.refusedRecipients.clear();
    for (let death = 0; death < deaths; death += 1) {
      await letPass('5 minutes');
      await makeHeldMail(makeFailing(services), settings)().catch(() => undefined);
    }
    await letPass('5 minutes');
    await round();

    expect(sink.received).toHaveLength(3);
    expect(sink.received.slice(1).map(({ mail }) => mail.to?.length)).toEqual([1, 1]);
  });

  test('is counted in the log, not named', async () => {
    const warn = vi.spyOn(logger, 'warn');
    onTestFinished(() => warn.mockRestore());
    await deferOne();

    expect(warn.mock.calls).toMatchObject([[{ deferred: 1 }, expect.stringContaining('them alone')]]);
    expect(JSON.stringify(warn.mock.calls)).not.toContain('example.com');
  });
});
