import { expect, test } from 'vitest';
import { makeVisitorFormat } from './visitor-format.ts';

test.each([
  ['en-US', 'USD', '$1,235', '1,234.5'],
  ['en', 'USD', '$1,235', '1,234.5'],
  ['de', 'EUR', '1.235\u00a0€', '1.234,5'],
  ['en-IE', 'EUR', '€1,235', '1,234.5'],
  ['en-GB', 'GBP', '£1,235', '1,234.5'],
  ['fr-CA', 'CAD', '1\u00a0235\u00a0$', '1\u00a0234,5'],
  ['sv-SE', 'SEK', '1\u00a0235\u00a0kr', '1\u00a0234,5'],
  ['ar-EG', 'USD', '\u200f1,235\u00a0US$', '1,234.5'],
  ['en-US@posix', 'USD', '$1,235', '1,234.5'],
  ['', 'USD', '$1,235', '1,234.5'],
  // A language of no place that is known.
  ['tlh', 'USD', '$1,235', '1,234.5'],
])('a browser in %s has %s', (language, currency, amount, number) => {
  const format = makeVisitorFormat(language);

  expect(format.currency).toBe(currency);
  expect(format.writeAmount(1234.6)).toBe(amount);
  expect(format.writeNumber(1234.5)).toBe(number);
});

test('what is no number is a dash', () => {
  const { writeAmount, writeNumber } = makeVisitorFormat('en-US');

  expect([writeAmount(NaN), writeNumber(NaN), writeNumber(Infinity)]).toEqual(['–', '–', '–']);
});

test('an hour costs hundreds of crowns and thousands of yen', () => {
  expect(['en-US', 'sv-SE', 'ja-JP'].map((language) => makeVisitorFormat(language).scale)).toEqual([1, 10, 100]);
});
