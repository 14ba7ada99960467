import { expect, test } from 'vitest';
import { findMedian, runInterleaved } from './compare.ts';
import { formatNumber } from './report.ts';

test('the median is the middle value, and of an even number the higher of the two', () => {
  expect(findMedian([5, 1, 100])).toBe(5);
  expect(findMedian([4, 1, 3, 2])).toBe(3);
});

test('runs are interleaved, in the opposite order each time, and each target gets its own medians', async () => {
  const order: string[] = [];
  const values: Record<string, number[]> = { one: [10, 30, 20], other: [1, 1, 9] };
  const measure = async (target: string) => {
    order.push(target);

    return { ms: values[target]?.shift() ?? Number.NaN };
  };

  expect(await runInterleaved(['one', 'other'], measure, 3)).toEqual([{ ms: 20 }, { ms: 1 }]);
  expect(order).toEqual(['one', 'other', 'other', 'one', 'one', 'other']);
});

test.each([
  [0.0532, '0.053'],
  [1.274, '1.27'],
  [35.44, '35.4'],
  [1_540.2, '1 540'],
  [7, '7'],
  [Number.NaN, '–'],
])('%d is written as %s', (value, text) => {
  expect(formatNumber(value)).toBe(text);
});
