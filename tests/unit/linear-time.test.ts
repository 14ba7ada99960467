import { expect, test } from 'vitest';
import { filterArticles } from '../../client/features/insights/use-listing-filter.ts';
import { readFollowUpForm } from '../../server/follow-up/follow-up-form.ts';
import { parseContactRequest } from '../../shared/contact/contact-request.ts';
import { parseContactFields, parseField } from '../../shared/contact/contact-schema.ts';
import { createDatabase } from '../../shared/node/database/database.ts';

/*
 * A body or a search is parsed before any limit counts it: time that is the square of its length would let one post stop
 * web for seconds. Compared are two lengths within one run, since no time holds on every machine.
 */

/** Characters of the longer text: V8 keeps an array of more elsewhere, which takes ten times as long by itself. */
const LENGTH = 8_000;
const FACTOR = 8;
/** Between what a linear time grows by, which is `FACTOR`, and a quadratic one, its square. */
const MAX_GROWTH = 30;
/** The fastest counts: a busy machine makes others slower. */
const TRIES = 20;

async function measure(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();

  return performance.now() - startedAt;
}

type WriteText = (length: number) => string;

/** How many times as long work takes with a text that is `FACTOR` times as long. */
async function measureGrowth(work: (text: string) => unknown, write: WriteText): Promise<number> {
  const [short, long] = [write(LENGTH / FACTOR), write(LENGTH)];
  const fastest = { short: Infinity, long: Infinity };
  for (let run = 0; run < TRIES; run += 1) {
    fastest.short = Math.min(fastest.short, await measure(() => work(short)));
    fastest.long = Math.min(fastest.long, await measure(() => work(long)));
  }

  return fastest.long / fastest.short;
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
])('a request full of %s is parsed in time linear in its length', async (_what, write) => {
  const fields = { name: 'Ada', email: 'ada@example.org', company: 'Sweets' };
  const parse = (text: string) => {
    parseContactFields({ ...fields, message: text });
    parseContactRequest({ ...fields, source: { utm_source: text, visited_paths: [`/${text}`] } });
  };

  expect(await measureGrowth(parse, write)).toBeLessThan(MAX_GROWTH);
});

test.each<[string, WriteText]>([
  ['brackets', repeat('<')],
  ['marks in the wrong order', repeatInWrongOrder],
])('a form of sales full of %s is refused in time linear in its length', async (_what, write) => {
  // Not connected to: these forms read nothing.
  const database = createDatabase('postgres://nobody@127.0.0.1:1/none', 'test');
  const refuse = async (text: string) => {
    for (const form of [{ action: 'assign', to: text }, { action: 'unfit', reason: text }]) {
      const reading = readFollowUpForm(form, { database, timeZone: 'UTC', sales: ['Anna <anna@example.com>'] });
      await expect(reading).rejects.toMatchObject({ code: 'invalid-fields' });
    }
  };

  expect(await measureGrowth(refuse, write)).toBeLessThan(MAX_GROWTH);
});

test('a search full of marks in the wrong order is read in time linear in its length', async () => {
  const search = (text: string) => filterArticles([], { search: text, category: undefined });

  expect(await measureGrowth(search, repeatInWrongOrder)).toBeLessThan(MAX_GROWTH);
});

test('a text far beyond its limit is refused without counting its characters', async () => {
  const [text, rule] = ['a'.repeat(60_000), { name: 'Message', forbidden: /\0/ }];
  const fastest = { limited: Infinity, unlimited: Infinity };
  for (let run = 0; run < TRIES; run += 1) {
    fastest.limited = Math.min(fastest.limited, await measure(() => parseField({ ...rule, max: 5_000 }, text)));
    fastest.unlimited = Math.min(fastest.unlimited, await measure(() => parseField(rule, text)));
  }

  // Counting takes ten times as long as all else, or more.
  expect(fastest.limited / fastest.unlimited).toBeLessThan(3);
});
