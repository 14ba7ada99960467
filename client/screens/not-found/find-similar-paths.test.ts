import { expect, test } from 'vitest';
import { findSimilarPaths } from './find-similar-paths.ts';

const known = [
  ...['/solutions/process-automation', '/solutions/vendor-management', '/insights', '/about', '/contact'],
  '/insights/ai-roi-measurement',
];

test.each([
  ['/solutions/proces-automation', '/solutions/process-automation'],
  ['/process-automation', '/solutions/process-automation'],
  ['/products/Vendor-Managment/', '/solutions/vendor-management'],
  ['/abuot', '/about'],
  ['/contact-us', '/contact'],
  ['/company/insight', '/insights'],
  ['/blog/ai-roi-measurment', '/insights/ai-roi-measurement'],
])('the first suggestion for %s is %s', (typed, meant) => {
  expect(findSimilarPaths(typed, known, 3)[0]).toBe(meant);
});

test.each(['/', '/wp-login.php', `/${'about'.repeat(100)}`])('there is no suggestion for %s', (typed) => {
  expect(findSimilarPaths(typed, known, 3)).toEqual([]);
});
