import { expect, test } from 'vitest';
import { compareInTurns, findMedian } from './compare.ts';
import { writeNumber } from './report.ts';

test('the median is the middle one, and of an even number the higher of the two', () => {
  expect(findMedian([5, 1, 100])).toBe(5);
  expect(findMedian([4, 1, 3, 2])).toBe(3);
});

test('targets are measured in turns, in the opposite order each time, and give their own medians', async () => {
  const order: string[] = [];
  const values: Record<string, number[]> = { one: [10, 30, 20], other: [1, 1, 9] };
  const medians = await compareInTurns(['one', 'other'], async (target) => {
    order.push(target);

    return { ms: values[target]?.shift() ?? Number.NaN };
  });

  expect(order).toEqual(['one', 'other', 'other', 'one', 'one', 'other']);
  expect(medians).toEqual([{ ms: 20 }, { ms: 1 }]);
});

test.each([
  [0.0532, '0.053'],
  [1.274, '1.27'],
  [35.44, '35.4'],
  [1_540.2, '1 540'],
  [7, '7'],
  [Number.NaN, '–'],
])('%d is written as %s', (value, text) => {
  expect(writeNumber(value)).toBe(text);
});
