import fc from 'fast-check';
import { expect, test } from 'vitest';
import { industryOptions } from '../../shared/contact/industry-options.ts';
import { pathTo } from '../../shared/paths.ts';
import { resolvePage } from './page-routes.ts';

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
])('%s redirects permanently to %s', (url, location) => {
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
])('%s redirects to %s', (url, location) => {
  expect(resolvePage(url, pagePaths)).toEqual({ kind: 'redirect', status: 302, location });
});

const redirects = { '/old': '/about', '/old/deep.html': '/contact?industry=healthcare', '/gone': 'https://other.example/' };

test.each([
  ['/old', '/about'],
  ['/Old/?utm_source=x', '/about?utm_source=x'],
  ['/old/deep.html?a=b', '/contact?industry=healthcare'],
  ['/gone', 'https://other.example/'],
])('the owner’s redirects send %s to %s', (url, location) => {
  expect(resolvePage(url, pagePaths, redirects)).toEqual({ kind: 'redirect', status: 301, location });
});

test.each(['/nope', '/solutions', '/solutions/none', '/insights/none', '//evil.example/', '/%2f'])(
  '%s is not found',
  (url) => {
    expect(resolvePage(url, pagePaths)).toEqual({ kind: 'not-found' });
  },
);

/** URLs of all kinds, most of them similar to page URLs. */
const anyUrl = fc
  .array(
    fc.oneof(
      fc.constantFrom('/', '//', '\\', '.', '..', 'about', 'Contact', 'INDUSTRIES', 'healthcare', 'evil.example'),
      fc.constantFrom('?', '&', '=', '#', '%2f', '%00', 'industry', 'sent=1', 'industry=healthcare', ':', '@'),
      fc.string({ unit: 'binary', maxLength: 3 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => `/${parts.join('')}`);

/** All locations that the cache may contain, which bounds its size. */
const cachedLocations = ['', ...industryOptions.map(({ value }) => value)]
  .flatMap((industry) => [false, true].map((sent) => pathTo.contact({ industry: industry || undefined, sent })))
  .concat(...pagePaths);

test('every URL is a cached page, a redirect to a page’s canonical path within this site, or not found', () => {
  fc.assert(
    fc.property(anyUrl, (url) => {
      const resolved = resolvePage(url, pagePaths);
      if (resolved.kind === 'not-found') return;
      // A second slash or a backslash would lead to another site.
      expect(resolved.location).toMatch(/^\/(?![/\\])/);
      if (resolved.kind === 'page') expect(cachedLocations).toContain(resolved.location);
      if (resolved.kind === 'redirect') {
        const next = resolvePage(resolved.location, pagePaths);
        expect(next).not.toMatchObject({ status: 308 });
        expect(next.kind).not.toBe('not-found');
      }
    }),
    { numRuns: 2_000 },
  );
});
