import { expect, test } from 'vitest';
import { toOriginForm } from './request-guard.ts';

test.each([
  ['a percent sign alone', '/%', '/%25'],
  ['one in the middle', '/api/%zz/%41', '/api/%25'],
  ['a query', '/about%ff?q=%20', '/about%25'],
  ['a host', 'https://www.example.com/%', '/%25'],
  ['thousands of percent signs', `/${'%'.repeat(15_900)}`, '/%25'],
])('the router gets only the start of a path that can’t be decoded: %s', (_what, url, path) => {
  expect(toOriginForm(url)).toBe(path);
});

test.each([
  ['/about', '/about'],
  ['/%61bout?q=%', '/%61bout?q=%'],
  ['https://www.example.com/about?q=a', '/about?q=a'],
  ['https://www.example.com?q=a', '/?q=a'],
])('the router gets the path and query of %s', (url, target) => {
  expect(toOriginForm(url)).toBe(target);
});
