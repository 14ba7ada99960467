import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { holdDeliveries, releaseDeliveries } from '../../../shared/node/deliveries/delivery-hold.ts';
import { createFileMailer } from '../../../shared/node/mail/file-mailer.ts';
import { listLinked, one, setUp, settings } from './mail-rounds.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

test('what is held within the hour after a mail is in the next, and nothing is mailed twice', async () => {
  const { round, hold, letPass, listSubjects, sink } = await setUp();
  await hold('First Sweets');
  await round();
  await hold('Second Sweets');
  await hold('Third Sweets');

  await letPass('59 minutes');
  await round();
  expect(listSubjects()).toEqual([one]);
  await letPass('1 minute');
  await round();
  await letPass('1 hour');
  await round();

  expect(listSubjects()).toEqual([one, '[Praline] 2 requests are held as possible spam']);
  expect(sink.received[1]?.mail.text).not.toContain('First Sweets');
});

test('a mail sent while the clock was days ahead holds up none once it is right again', async () => {
  const { round, hold, letPass, sink } = await setUp();
  await hold('First Sweets');
  await round();
  await letPass('-3 days');
  await hold('Second Sweets');
  await round();

  expect(sink.received).toHaveLength(2);
});

test('of several workers one sends the mail', async () => {
  const { sink, round, hold, letPass } = await setUp();
  await hold('Sweets');

  await Promise.all(Array.from({ length: 5 }, () => round()));
  await letPass('59 minutes');
  await Promise.all(Array.from({ length: 5 }, () => round()));

  expect(sink.received).toHaveLength(1);
});

test('while deliveries are on hold nothing is mailed, and afterwards all of it', async () => {
  const { database, round, hold, listSubjects } = await setUp();
  await holdDeliveries(database);
  await hold('Sweets');

  await round();
  expect(listSubjects()).toEqual([]);
  await releaseDeliveries(database);
  await round();

  expect(listSubjects()).toEqual([one]);
});

test('without a mail server the mail becomes a file like every other', async () => {
  const { round, hold } = await setUp();
  const folder = makeTemporaryFolder();
  await hold('Sweets');

  await round({ mailer: createFileMailer(folder, 'site@example.com') });

  expect(await readdir(folder)).toEqual([expect.stringMatching(/^held-[0-9a-f-]{36}\.eml$/)]);
});

test('a mail whose requests are all decided before it could be sent is dropped, and delays no other', async () => {
  const { database, sink, round, hold, letPass, listSubjects } = await setUp([{ kind: 'refuse', code: 451 }]);
  const id = await hold('Sweets');
  await round();
  await database('contact_submissions').where({ id }).update({ spam_at: database.fn.now() });
  await letPass('5 minutes');
  await round();
  await hold('Other Sweets');
  await round();

  expect(listSubjects()).toEqual([one]);
  expect(sink.received[0]?.mail.text).toContain('Other Sweets');
});

/** What spam filters refuse on purpose, so that they can be tested: https://spamassassin.apache.org/gtube/ */
const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';

test('a mail that is refused for a stranger’s words goes at once without any, and holds up no later one', async () => {
  const { sink, round, hold, letPass, listSubjects } = await setUp();
  sink.refusedWords.set('GTUBE', 554);
  const received_at = new Date('2026-11-03T09:00:00Z');
  const typed = { name: 'Mallory', email: 'typed@evil.example', message: GTUBE, received_at };
  const ids = [await hold('Evil Sweets', typed), await hold('Acme', { ...typed, message: null, quarantine_reason: 'links' })];

  await round();
  await hold('Later Sweets');
  await letPass('1 hour');
  await round();

  expect(listSubjects()).toEqual(['[Praline] 2 requests are held as possible spam', one]);
  const [refused, later] = sink.received.map(({ mail }) => (mail.text ?? '').replace(/\s+/g, ' '));
  expect(refused).toContain('Tue, Nov 3, 2026, 9:00 AM UTC: sent within two seconds Decide:');
  expect(refused).toContain('The mail server refused the mail that repeats what was typed, so only the pages show it.');
  for (const form of [refused, sink.received[0]?.mail.html]) {
    expect(form).not.toMatch(/Evil|Acme|Mallory|typed@|GTUBE/);
  }
  expect(listLinked(sink.received[0]?.mail.text)).toEqual(ids);
  expect(later).toContain('Later Sweets');
  expect(sink.countOffers()).toBe(3);
});

test('a mail that is refused three times for the moment goes without a stranger’s words', async () => {
  const { sink, round, hold, letPass, listSubjects } = await setUp();
  sink.refusedWords.set('GTUBE', 451);
  await hold('Evil Sweets', { message: GTUBE });

  for (let attempt = 1; attempt <= 3; attempt += 1) {
    expect(sink.received).toEqual([]);
    await round();
    await letPass('5 minutes');
  }

  expect(listSubjects()).toEqual([one]);
  expect(sink.received[0]?.mail.text).not.toContain('GTUBE');
});

describe('a mailbox that refuses a mail for the moment, while another takes it', () => {
  const DEFERRED = 'owner@example.com';

  async function deferOne() {
    const fixture = await setUp();
    const { sink, round, hold } = fixture;
    sink.refusedRecipients.set(DEFERRED, 450);
    await hold('Sweets');
    await round();
    expect(sink.received).toHaveLength(1);
    /** Who each mail is for, and what it lists. */
    const listMails = () =>
      sink.received.map(({ mail }) => [
        mail.to?.map(({ address }) => address),
        mail.text?.match(/^(?:\w+ )?Sweets$/gm),
      ]);

    return { ...fixture, listMails };
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
    const { round, sink, letPass, listSubjects } = await deferOne();
    sink.refusedRecipients.clear();
    await letPass('5 minutes');
    await round({ sales: ['Sales <sales@example.com>', 'new@example.com'] });

    expect(listSubjects()).toEqual([one]);
  });
});
