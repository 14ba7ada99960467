import { expect, test } from 'vitest';
import { isUnbroken, listSegments, parsePosition } from './wal-files.ts';

const first = '0000000100000000000000FE';
const second = '0000000100000000000000FF';
const third = '000000010000000100000000';

test('segments are listed in their order, the one that is received like a complete one', () => {
  expect(listSegments([`${third}.partial`, 'system', first, '00000002.history', second, third])).toEqual([
    first,
    second,
    third,
  ]);
});

test('a missing segment is noticed, also where the log begins anew', () => {
  expect(isUnbroken([first, second, third])).toBe(true);
  expect(isUnbroken([first, third])).toBe(false);
  // Another timeline begins within a segment of the one before.
  expect(isUnbroken([first, second, '0000000200000000000000FF'])).toBe(true);
  expect(isUnbroken([])).toBe(true);
});

test('a position is a number of bytes', () => {
  expect(parsePosition('0/3000148')).toBe(0x3000148);
  expect(parsePosition('1/148')).toBe(2 ** 32 + 0x148);
  expect(() => parsePosition('')).toThrow('no position');
});
