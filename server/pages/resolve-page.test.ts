import { expect, test } from 'vitest';
import { resolvePage } from './resolve-page.ts';

const pagePaths = new Set(['/', '/about', '/contact']);

test.each([
  ['/', '/'],
  ['/about?utm_source=x', '/about'],
  ['/contact?sent=1&utm_source=x&industry=healthcare', '/contact?industry=healthcare&sent=1'],
  ['/contact?industry=unknown&sent=2', '/contact'],
  ['/contact?industry=%22%3E%3Cscript%3E', '/contact'],
])('%s is rendered and cached as %s', (url, location) => {
  expect(resolvePage(url, pagePaths)).toEqual({ kind: 'page', location });
});

test.each([
  ['/About', '/about'],
  ['/about/', '/about'],
  ['//about//?a=B', '/about?a=B'],
  ['/Contact/?Industry=x', '/contact?Industry=x'],
  ['/Industries/Healthcare', '/industries/healthcare'],
])('%s moves for good to %s', (url, location) => {
  expect(resolvePage(url, pagePaths)).toEqual({ kind: 'redirect', status: 308, location });
});

test.each([
  ['/industries', '/contact'],
  ['/industries/healthcare', '/contact?industry=healthcare'],
  ['/industries/manufacturing', '/contact?industry=manufacturing'],
  ['/industries/financial-services', '/contact?industry=financial-services'],
  ['/industries/professional-services', '/contact?industry=professional-services'],
  ['/industries/education', '/contact?industry=education'],
  ['/industries/retail', '/contact?industry=retail-ecommerce'],
  ['/industries/transportation', '/contact?industry=transportation-logistics'],
  ['/industries/real-estate', '/contact?industry=real-estate'],
  ['/industries/private-equity', '/contact?industry=private-equity'],
  ['/industries/unknown/deep', '/contact'],
])('%s leads to %s', (url, location) => {
  expect(resolvePage(url, pagePaths)).toEqual({ kind: 'redirect', status: 302, location });
});

test.each(['/nope', '/solutions', '/solutions/none', '/insights/none', '//evil.example/', '/%2f'])(
  '%s is not found',
  (url) => {
    expect(resolvePage(url, pagePaths)).toEqual({ kind: 'not-found' });
  },
);
