import { expect, test } from 'vitest';
import { industries } from './industries.ts';
import { findIndustryDetails } from './industry-details.ts';

const lists = industries.flatMap(({ slug, option }) =>
  Object.entries(findIndustryDetails(option) ?? {}).map(([kind, sentences]) => ({
    name: `${slug} ${kind}`,
    sentences: sentences as readonly string[],
  })),
);
const sentences = lists.flatMap((list) => list.sentences);

test('each of the nine industries has three challenges, solutions and results', () => {
  expect(industries).toHaveLength(9);
  expect(lists.map(({ name, sentences: { length } }) => `${name}: ${length}`)).toEqual(
    industries.flatMap(({ slug }) =>
      ['challenges', 'solutions', 'results'].map((kind) => `${slug} ${kind}: 3`),
    ),
  );
});

test('every entry is one sentence', () => {
  expect(sentences.filter((text) => !/^[A-Z][^.!?]+\.$/.test(text))).toEqual([]);
});

test('no sentence has a figure', () => {
  expect(sentences.filter((text) => /[\p{N}%$]/u.test(text))).toEqual([]);
});

test('nothing is said twice', () => {
  const seen = sentences.map((text) => text.toLowerCase());

  expect(seen.filter((text, index) => seen.indexOf(text) !== index)).toEqual([]);
});

test('nothing is claimed about an industry that is not one of the nine', () => {
  expect(findIndustryDetails('other')).toBeUndefined();
});
