import { expect, test } from 'vitest';
import { industries } from './industries.ts';
import { industryAnswers, industryChallenges, isKnownIndustry } from './industry-details.ts';

const known = industries.map(({ option }) => option).filter(isKnownIndustry);
const sentences = known.flatMap((option) => {
  const { solutions, results } = industryAnswers[option];

  return [...industryChallenges[option], ...solutions, ...results];
});

test('something is known about each of the nine industries', () => {
  expect(new Set(known).size).toBe(9);
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
