import { expect, test } from 'vitest';
import { MAX_BODY_BYTES } from '../../shared/contact/contact-schema.ts';
import { createDatabase } from '../../shared/node/database/database.ts';
import { readFollowUpForm } from './follow-up-form.ts';

/** Not connected to: these forms read nothing. */
const database = createDatabase('postgres://nobody@127.0.0.1:1/none', 'test');

const read = (form: Record<string, string>) =>
  readFollowUpForm(form, { database, timeZone: 'UTC', sales: ['Anna <anna@example.com>'] });

test('a form names an address of sales, or a reason in NFC', async () => {
  expect(await read({ action: 'assign', to: 'ANNA@example.com' })).toEqual({
    what: 'assign',
    to: 'Anna <anna@example.com>',
  });
  expect(await read({ action: 'unfit', reason: ' Cafe\u0301 ' })).toEqual({ what: 'unfit', reason: 'Caf\u00e9' });
  // As typed, 2,000 characters; in NFC 500.
  expect(await read({ action: 'unfit', reason: '\u03b1\u0313\u0300\u0345'.repeat(500) })).toEqual({
    what: 'unfit',
    reason: '\u1f82'.repeat(500),
  });
});

test.each([
  ['brackets', '<'.repeat(MAX_BODY_BYTES)],
  ['marks in the wrong order', `a${'\u0345'.repeat(MAX_BODY_BYTES / 4)}${'\u0334'.repeat(MAX_BODY_BYTES / 4)}`],
])('a form full of %s is refused at once', async (_what, text) => {
  const startedAt = performance.now();
  for (const form of [{ action: 'assign', to: text }, { action: 'unfit', reason: text }]) {
    await expect(read(form)).rejects.toMatchObject({ code: 'invalid-fields' });
  }

  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
