import { expect, test } from 'vitest';
import { filterArticles } from '../../client/features/insights/use-listing-filter.ts';
import { readFollowUpForm } from '../../server/follow-up/follow-up-form.ts';
import { parseContactRequest } from '../../shared/contact/contact-request.ts';
import { parseContactFields } from '../../shared/contact/contact-schema.ts';
import { createDatabase } from '../../shared/node/database/database.ts';

/*
 * Bodies and searches are parsed before rate limits apply. If parsing took quadratic time, a single request could block
 * web for seconds. Linear parsing takes a few milliseconds.
 */

/** How many two-byte characters fit into the longest body. */
const LENGTH = 30_000;
/** Limit in milliseconds. Linear parsing takes far less, even on a busy machine. */
const LONGEST = 2_000;

async function expectFast(work: () => unknown): Promise<void> {
  const startedAt = performance.now();
  await work();

  expect(performance.now() - startedAt).toBeLessThan(LONGEST);
}

const repeat = (part: string) => `a${part.repeat(LENGTH / part.length)}b`;

const marksInWrongOrder = `a${'\u0345'.repeat(LENGTH / 2)}${'\u0334'.repeat(LENGTH / 2)}b`;

test.each([
  ['line endings', repeat('\r')],
  ['line endings and letters', repeat('\r'.repeat(100) + 'a')],
  ['spaces', repeat(' ')],
  ['marks', repeat('\u0345'.repeat(100) + '\u0334'.repeat(100))],
  ['marks in the wrong order', marksInWrongOrder],
  ['letters and marks', repeat('a' + '\u0345'.repeat(15) + '\u0334'.repeat(15))],
  ['dots', repeat('a.')],
  ['brackets', repeat('<')],
])('a request full of %s is parsed quickly', async (_what, text) => {
  const fields = { name: 'Ada', email: 'ada@example.org', company: 'Sweets' };

  await expectFast(() => {
    parseContactFields({ ...fields, message: text });
    parseContactRequest({ ...fields, source: { utm_source: text, visited_paths: [`/${text}`] } });
  });
});

test.each([
  ['brackets', repeat('<')],
  ['marks in the wrong order', marksInWrongOrder],
])('a sales form full of %s is refused quickly', async (_what, text) => {
  // The test never connects, because these forms need no query.
  const database = createDatabase('postgres://nobody@127.0.0.1:1/none', 'test');

  await expectFast(async () => {
    for (const form of [{ action: 'assign', to: text }, { action: 'unfit', reason: text }]) {
      const reading = readFollowUpForm(form, { database, timeZone: 'UTC', sales: ['Anna <anna@example.com>'], linked: null });
      await expect(reading).rejects.toMatchObject({ code: 'invalid-fields' });
    }
  });
});

test('a search full of marks in the wrong order is parsed quickly', async () => {
  await expectFast(() => filterArticles([], { search: marksInWrongOrder, category: undefined }));
});
