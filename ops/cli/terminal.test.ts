import { expect, test } from 'vitest';
import { escapeControls, escapeControlsInLines, toJson } from './terminal.ts';

const evil = 'a\u001b[31mb\u009b2Jc\u202ed\u2028e\u0000f\r';

test('control characters are escaped, and text in any script is not', () => {
  expect(escapeControls(evil)).toBe('a\\u001b[31mb\\u009b2Jc\\u202ed\\u2028e\\u0000f\\u000d');
  expect(escapeControls('Zoë Ñandú 東京 🍬')).toBe('Zoë Ñandú 東京 🍬');
});

test('line breaks are kept in multi-line text', () => {
  expect(escapeControlsInLines('one\n\ttwo\u0007')).toBe('one\n  two\\u0007');
});

test('JSON is printable ASCII and parses to the same values', () => {
  const json = toJson({ evil });
  expect(json).not.toMatch(/[^\u0020-\u007e]/u);
  expect(JSON.parse(json)).toEqual({ evil });
});
