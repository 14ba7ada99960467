import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { makeHeldMail } from '../../../jobs/held-requests/send-held-mail.ts';
import { holdDeliveries, releaseDeliveries } from '../../../shared/node/deliveries/delivery-hold.ts';
import { createFileMailer } from '../../../shared/node/mail/file-mailer.ts';
import { listLinked, makeFailing, one, setUp, settings } from './mail-rounds.ts';
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

test('what was held, and tried in vain, while the clock was days ahead is mailed once it is right again', async () => {
  const { database, round, hold, letPass, sink } = await setUp([{ kind: 'refuse', code: 451 }]);
  await hold('First Sweets');
  await round();
  expect(sink.received).toEqual([]);
  await letPass('-3 days');
  await hold('Second Sweets', { quarantined_at: database.raw("now() + interval '3 days'") });
  await round();
  await letPass('1 hour');
  await round();

  expect(sink.received.map(({ mail }) => /\w+ Sweets/.exec(mail.text ?? '')?.[0])).toEqual(['First Sweets', 'Second Sweets']);
});

test('of several workers one sends the mail', async () => {
  const { sink, round, hold, letPass } = await setUp();
  await hold('Sweets');

  await Promise.all(Array.from({ length: 5 }, round));
  await letPass('59 minutes');
  await Promise.all(Array.from({ length: 5 }, round));

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
  const { services, hold } = await setUp();
  const folder = makeTemporaryFolder();
  await hold('Sweets');

  await makeHeldMail({ ...services, mailer: createFileMailer(folder, 'site@example.com') }, settings)();

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

test.each([
  ['refused for now', { kind: 'refuse', code: 451 }],
  ['refused permanently', { kind: 'refuse', code: 550 }],
  ['met with silence', { kind: 'hang-before' }],
] as const)('a mail that is %s is tried again later, with the same requests, and sent once', async (_what, fault) => {
  const { sink, round, hold, letPass, listSubjects } = await setUp([fault]);
  await hold('Sweets');

  await round();
  await round();
  expect(sink.countOffers()).toBe(1);
  await letPass('5 minutes');
  await round();
  await letPass('59 minutes');
  await round();

  expect(listSubjects()).toEqual([one]);
});

/** What spam filters refuse on purpose, so that they can be tested: https://spamassassin.apache.org/gtube/ */
const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';

test('a mail that is refused for a stranger’s words goes next without any, and holds up no later one', async () => {
  const { sink, round, hold, letPass, listSubjects } = await setUp();
  sink.refusedWords.set('GTUBE', 554);
  const received_at = new Date('2026-11-03T09:00:00Z');
  const typed = { name: 'Mallory', email: 'typed@evil.example', message: GTUBE, received_at };
  const ids = [await hold('Evil Sweets', typed), await hold('Acme', { ...typed, message: null, quarantine_reason: 'links' })];

  await round();
  expect(sink.received).toEqual([]);
  await letPass('30 seconds');
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

test('a mail that is refused three times for the moment goes next without a stranger’s words', async () => {
  const { sink, round, hold, letPass, listSubjects } = await setUp();
  sink.refusedWords.set('GTUBE', 451);
  await hold('Evil Sweets', { message: GTUBE });

  for (let attempt = 1; attempt <= 4; attempt += 1) {
    expect(sink.received).toEqual([]);
    await round();
    await letPass('5 minutes');
  }

  expect(listSubjects()).toEqual([one]);
  expect(sink.received[0]?.mail.text).not.toContain('GTUBE');
});

test('a mail whose response is lost is sent a second time under the same Message-ID, and no third', async () => {
  const { database, sink, round, hold, letPass } = await setUp([{ kind: 'cut-after' }, { kind: 'cut-after' }]);
  await hold('Sweets');

  for (let rounds = 0; rounds < 5; rounds += 1) {
    await round();
    await letPass('5 minutes');
  }

  const [mail] = await database('held_mails').select('id');
  const ids = sink.received.map(({ mail: { messageId } }) => messageId);
  expect(ids).toEqual([`<held-${mail?.id}@example.com>`, `<held-${mail?.id}@example.com>`]);
});

test.each([1, 5])('a worker that dies %i times between handing over and recording it repeats one mail', async (deaths) => {
  const { services, sink, round, hold, letPass } = await setUp();
  await hold('Sweets');
  for (let death = 0; death < deaths; death += 1) {
    await makeHeldMail(makeFailing(services), settings)().catch(() => undefined);
    await letPass('61 seconds');
  }
  await round();

  expect(sink.received).toHaveLength(2);
});
