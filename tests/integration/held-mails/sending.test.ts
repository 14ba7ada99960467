import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { runRetention } from '../../../shared/node/retention/retention.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { listLinked, subjectOfOne, SECRET, setUp } from './mail-rounds.ts';

test('requests that are held within an hour of a mail are in the next one, and no request is mailed twice', async () => {
  const { round, hold, letPass, listSubjects, sink } = await setUp();
  await hold('First Sweets');
  await round();
  await hold('Second Sweets');
  await hold('Third Sweets');

  await letPass('59 minutes');
  await round();
  expect(listSubjects()).toEqual([subjectOfOne]);
  await letPass('1 minute');
  await round();
  await letPass('1 hour');
  await round();

  expect(listSubjects()).toEqual([subjectOfOne, '[Praline] 2 requests are held as possible spam']);
  expect(sink.received[1]?.mail.text).not.toContain('First Sweets');
});

test('a mail is cancelled if sales decides on all its requests before it is sent, and it doesn’t delay other mails', async () => {
  const { database, sink, round, hold, letPass, listSubjects } = await setUp([{ kind: 'refuse', code: 451 }]);
  const id = await hold('Sweets');
  await round();
  await database('contact_submissions').where({ id }).update({ spam_at: database.fn.now() });
  await letPass('5 minutes');
  await round();
  await hold('Other Sweets');
  await round();

  expect(listSubjects()).toEqual([subjectOfOne]);
  expect(sink.received[0]?.mail.text).toContain('Other Sweets');
});

/** A test text that every spam filter refuses: https://spamassassin.apache.org/gtube/ */
const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';

test('a mail that is refused because of a visitor’s text is resent immediately without it, and doesn’t delay later mails', async () => {
  const { sink, round, hold, letPass, listSubjects } = await setUp();
  sink.refusedWords.set('GTUBE', 554);
  const received_at = new Date('2026-11-03T09:00:00Z');
  const typed = { name: 'Mallory', email: 'typed@evil.example', message: GTUBE, received_at };
  const ids = [await hold('Evil Sweets', typed), await hold('Acme', { ...typed, message: null, quarantine_reason: 'links' })];

  await round();
  await hold('Later Sweets');
  await letPass('1 hour');
  await round();

  expect(listSubjects()).toEqual(['[Praline] 2 requests are held as possible spam', subjectOfOne]);
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

test('quarantined requests, including spam, are erased thirty days after a mail listed them', async () => {
  const { database, hold } = await setUp();
  const ago = (days: number) => database.raw("now() - ? * interval '1 day'", [days]);
  const mail = async (changes: object) => {
    const held_mail_id = randomUUID();
    await database('deliveries').insert({ kind: 'held-requests', subject: held_mail_id, due_at: ago(31), ...changes });

    return { held_mail_id };
  };
  const listed = await mail({ state: 'sent', sent_at: ago(30.01) });
  const old = await hold('Old Sweets', { quarantined_at: ago(30.01), ...listed });
  // Mails are deleted after RETENTION_MONTHS, which may be a single month of 28 days.
  const forgotten = await hold('Forgotten Sweets', { quarantined_at: ago(31), held_mail_id: randomUUID() });
  const spam = await hold('Spam Sweets', { quarantined_at: ago(31), spam_at: ago(31) });
  await hold('Young Sweets', { quarantined_at: ago(29.9), ...listed });
  await hold('Unlisted Sweets', { quarantined_at: ago(90) });
  await hold('Refused Sweets', { quarantined_at: ago(90), ...(await mail({ state: 'dead' })) });
  await hold('Late Sweets', { quarantined_at: ago(90), ...(await mail({ state: 'sent', sent_at: ago(29.9) })) });
  await hold('Released Sweets', { received_at: ago(40), quarantined_at: null, released_at: ago(1) });

  const outcome = await runRetention(database, {
    linkSecrets: [SECRET],
    mail: { sales: [] },
    privacy: { retentionMonths: 24, erasuresDirectory: makeTemporaryFolder() },
  });

  expect(outcome?.expired).toEqual({ held: 3, submissions: 0, subscriptions: 0 });
  const rows = await database('contact_submissions').whereNotNull('anonymised_at');
  expect(rows.map(({ id }) => id).sort()).toEqual([old, forgotten, spam].sort());
  expect(rows[0]).toMatchObject({ name: 'erased', message: null, quarantine_reason: null });
  const names = await database('contact_submissions').whereNull('anonymised_at').pluck('company');
  expect(names.map((name) => name.split(' ')[0]).sort()).toEqual(['Late', 'Refused', 'Released', 'Unlisted', 'Young']);
});
