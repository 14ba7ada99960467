import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { runRetention } from '../../../shared/node/retention/retention.ts';
import { SECRET, setUp } from './mail-rounds.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';

test('what is held is erased thirty days after a mail listed it unless it was released, also what was marked as spam', async () => {
  const { database, hold } = await setUp();
  const ago = (days: number) => database.raw("now() - ? * interval '1 day'", [days]);
  const mail = async (changes: object) => {
    const held_mail_id = randomUUID();
    await database('deliveries').insert({ kind: 'held-requests', subject: held_mail_id, due_at: ago(31), ...changes });

    return { held_mail_id };
  };
  const listed = await mail({ state: 'sent', sent_at: ago(30.01) });
  const old = await hold('Old Sweets', { quarantined_at: ago(30.01), ...listed });
  // Mails are forgotten after RETENTION_MONTHS, which may be a single month of 28 days.
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
