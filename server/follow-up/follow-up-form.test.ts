import { expect, test } from 'vitest';
import { createDatabase } from '../../shared/node/database/database.ts';
import { readFollowUpForm } from './follow-up-form.ts';

/** The test never connects, because these forms need no query. */
const database = createDatabase('postgres://nobody@127.0.0.1:1/none', 'test');

const read = (form: Record<string, string>) =>
  readFollowUpForm(form, { database, timeZone: 'UTC', sales: ['Anna <anna@example.com>'], linked: null });

test('the form’s assignee is a sales address, by default the reader’s, and its reason is normalized to NFC', async () => {
  expect(await read({ action: 'assign', reader: 'anna@example.com' })).toEqual({ what: 'assign', to: 'Anna <anna@example.com>' });
  expect(await read({ action: 'assign', to: 'ANNA@example.com' })).toEqual({
    what: 'assign',
    to: 'Anna <anna@example.com>',
  });
  expect(await read({ action: 'unfit', reason: ' Cafe\u0301 ' })).toEqual({ what: 'unfit', reason: 'Caf\u00e9' });
  // 2,000 characters as typed, 500 in NFC.
  expect(await read({ action: 'unfit', reason: '\u03b1\u0313\u0300\u0345'.repeat(500) })).toEqual({
    what: 'unfit',
    reason: '\u1f82'.repeat(500),
  });
});
