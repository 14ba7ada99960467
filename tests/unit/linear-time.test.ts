import { expect, test } from 'vitest';
import { filterArticles } from '../../client/features/insights/use-listing-filter.ts';
import { readFollowUpForm } from '../../server/follow-up/follow-up-form.ts';
import { parseContactRequest } from '../../shared/contact/contact-request.ts';
import { parseContactFields } from '../../shared/contact/contact-schema.ts';
import { createDatabase } from '../../shared/node/database/database.ts';

/*
 * A body or a search is parsed before any limit counts it. If that took quadratic time, one post could stop web for
 * seconds. Linear time is a few milliseconds.
 */

/** Number of two-byte characters in the longest body. */
const LENGTH = 30_000;
/** Limit in milliseconds, far more than linear time needs on a busy machine. */
const LONGEST = 2_000;

type WriteText = (length: number) => string;

async function expectFast(work: (text: string) => unknown, write: WriteText): Promise<void> {
  const text = write(LENGTH);
  const startedAt = performance.now();
  await work(text);

  expect(performance.now() - startedAt).toBeLessThan(LONGEST);
}

const repeat =
  (part: string): WriteText =>
  (length) =>
    `a${part.repeat(length / part.length)}b`;

const repeatInWrongOrder: WriteText = (length) => `a${'\u0345'.repeat(length / 2)}${'\u0334'.repeat(length / 2)}b`;

test.each<[string, WriteText]>([
  ['line ends', repeat('\r')],
  ['line ends and a letter', repeat('\r'.repeat(100) + 'a')],
  ['spaces', repeat(' ')],
  ['marks', repeat('\u0345'.repeat(100) + '\u0334'.repeat(100))],
  ['marks in the wrong order', repeatInWrongOrder],
  ['letters and marks', repeat('a' + '\u0345'.repeat(15) + '\u0334'.repeat(15))],
  ['dots', repeat('a.')],
  ['brackets', repeat('<')],
])('a request full of %s is parsed in no time', async (_what, write) => {
  const fields = { name: 'Ada', email: 'ada@example.org', company: 'Sweets' };
  const parse = (text: string) => {
    parseContactFields({ ...fields, message: text });
    parseContactRequest({ ...fields, source: { utm_source: text, visited_paths: [`/${text}`] } });
  };

  await expectFast(parse, write);
});

test.each<[string, WriteText]>([
  ['brackets', repeat('<')],
  ['marks in the wrong order', repeatInWrongOrder],
])('a sales form full of %s is refused quickly', async (_what, write) => {
  // The test never connects, because these forms need no query.
  const database = createDatabase('postgres://nobody@127.0.0.1:1/none', 'test');
  const refuse = async (text: string) => {
    for (const form of [{ action: 'assign', to: text }, { action: 'unfit', reason: text }]) {
      const reading = readFollowUpForm(form, { database, timeZone: 'UTC', sales: ['Anna <anna@example.com>'], linked: null });
      await expect(reading).rejects.toMatchObject({ code: 'invalid-fields' });
    }
  };

  await expectFast(refuse, write);
});

test('a search full of marks in the wrong order is parsed quickly', async () => {
  const search = (text: string) => filterArticles([], { search: text, category: undefined });

  await expectFast(search, repeatInWrongOrder);
});
