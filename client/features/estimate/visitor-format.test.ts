import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeVisitorFormat, parseNumber } from './visitor-format.ts';

describe('a number', () => {
  test.each<[string, ',' | '.', number]>([
    ['12', '.', 12],
    ['4.5', '.', 4.5],
    ['4,5', '.', 4.5],
    ['4.5', ',', 4.5],
    ['0.500', ',', 0.5],
    ['.5', '.', 0.5],
    ['5.', '.', 5],
    ['1,500', '.', 1500],
    ['1,500', ',', 1.5],
    ['1.500', ',', 1500],
    ['1.500', '.', 1.5],
    ['1,234.50', ',', 1234.5],
    ['1.234,50', '.', 1234.5],
    ['1,234,567', ',', 1_234_567],
    ['1,00,000', '.', 100_000],
    ['1 234,5', ',', 1234.5],
    ['1\u202f234', ',', 1234],
    ["1'234.5", '.', 1234.5],
    [' 40 \n', '.', 40],
    ['$40', '.', 40],
    ['40 €', ',', 40],
    ['kr. 450', ',', 450],
    ['EUR 45', '.', 45],
    ['40 $/h', '.', 40],
    ['12 people', '.', 12],
    ['0', '.', 0],
    ['9'.repeat(400), '.', Infinity],
  ])('%j with the decimal mark %j is %d', (text, decimalMark, value) => {
    expect(parseNumber(text, decimalMark)).toBe(value);
  });

  test.each(['', ' ', 'many', '-5', '−5', '$-5', '1e5', '5–6', '5-6', '12 30', '1/2', '.', ',', '٣'])('%j is not a number', (text) => {
    expect(parseNumber(text, '.')).toBeUndefined();
  });
});

test('numbers are parsed as written in many languages', () => {
  const locales = ['en-US', 'de-DE', 'de-CH', 'fr-FR', 'sv-SE', 'en-IN', 'es-ES', 'pl-PL'];

  fc.assert(
    fc.property(fc.constantFrom(...locales), fc.integer({ min: 0, max: 10_000_000 }), (locale, cents) => {
      const format = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });
      const mark = format.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value === ',' ? ',' : '.';

      expect(parseNumber(format.format(cents / 100), mark)).toBe(cents / 100);
    }),
  );
});

test.each([
  ['en-US', 'USD', '$1,235', '1,234.5'],
  ['de', 'EUR', '1.235\u00a0€', '1.234,5'],
  ['en-IE', 'EUR', '€1,235', '1,234.5'],
  ['en-GB', 'GBP', '£1,235', '1,234.5'],
  ['fr-CA', 'CAD', '1\u00a0235\u00a0$', '1\u00a0234,5'],
  ['sv-SE', 'SEK', '1\u00a0235\u00a0kr', '1\u00a0234,5'],
  ['ar-EG', 'USD', '\u200f1,235\u00a0US$', '1,234.5'],
  ['en-US@posix', 'USD', '$1,235', '1,234.5'],
  ['', 'USD', '$1,235', '1,234.5'],
  // A language without a region.
  ['tlh', 'USD', '$1,235', '1,234.5'],
])('a browser in %s shows amounts in %s', (language, currency, amount, number) => {
  const format = makeVisitorFormat(language);

  expect(format.currency).toBe(currency);
  expect(format.writeAmount(1234.6)).toBe(amount);
  expect(format.writeNumber(1234.5)).toBe(number);
});
