import { expect, test } from 'vitest';
import { formatCount } from './format-count.ts';

test('one is singular, zero is plural', () => {
  expect([0, 1, 2].map((count) => formatCount(count, 'request'))).toEqual(['0 requests', '1 request', '2 requests']);
  expect(formatCount(1, 'delivery is', 'deliveries are')).toBe('1 delivery is');
  expect(formatCount(2, 'delivery is', 'deliveries are')).toBe('2 deliveries are');
});
