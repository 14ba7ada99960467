import { expect, test } from 'vitest';
import { makeSafe, makeSafeLines, toJson } from './terminal.ts';

const evil = 'a\u001b[31mb\u009b2Jc\u202ed\u2028e\u0000f\r';

test('what a terminal would obey is shown instead', () => {
  expect(makeSafe(evil)).toBe('a\\u001b[31mb\\u009b2Jc\\u202ed\\u2028e\\u0000f\\u000d');
  expect(makeSafe('Zoë Ñandú 東京 🍬')).toBe('Zoë Ñandú 東京 🍬');
});

test('lines stay lines', () => {
  expect(makeSafeLines('one\n\ttwo\u0007')).toBe('one\n  two\\u0007');
});

test('JSON is safe to look at and reads as the same values', () => {
  const json = toJson({ evil });
  expect(json).not.toMatch(/[^\u0020-\u007e]/u);
  expect(JSON.parse(json)).toEqual({ evil });
});
