import { expect, test } from 'vitest';
import { pickSource, pickVisitedPaths } from './submission-source.ts';

test('campaign labels are stored unchanged and other keys dropped', () => {
  const source = {
    utm_source: ' newsletter ',
    utm_campaign: 7,
    'utm_<b>': 'x',
    utm_term: 'a\u0000b',
    utm_content: 'x'.repeat(501),
    email: 'ada@example.org',
  };

  expect(pickSource(source)).toEqual({ utm_source: 'newsletter' });
});

test.each(['x_utm_source', 'utm_source-2', 'utm_', `utm_${'x'.repeat(31)}`, 'UTM_SOURCE'])(
  '%s is not a campaign label',
  (name) => {
    expect(pickSource({ [name]: 'x' })).toBeNull();
  },
);

test('values of up to 500 characters are stored', () => {
  const longest = 'x'.repeat(500);
  const path = `/${'x'.repeat(499)}`;

  expect(pickSource({ utm_source: longest, utm_medium: `${longest}x` })).toEqual({ utm_source: longest });
  expect(pickVisitedPaths({ visited_paths: [path, `${path}x`] })).toEqual([path]);
});

test('only the first twelve labels are stored', () => {
  const labels = Array.from({ length: 50 }, (_, index) => [`utm_${index}`, 'x']);

  expect(Object.keys(pickSource(Object.fromEntries(labels)) ?? {})).toHaveLength(12);
});

test.each([
  ['example.net', 'example.net'],
  ['News.Example.NET', 'news.example.net'],
  ['https://example.net/', 'example.net'],
  ['https://example.net:8443/search?q=ada@example.org#x', 'example.net'],
  [`https://example.net/${'x'.repeat(2_000)}`, 'example.net'],
  ['https://ada:secret@example.net/', 'example.net'],
  ['android-app://com.google.android.gm/', 'com.google.android.gm'],
  ['example.net/path', 'example.net'],
  ['xn--mnchen-3ya.example', 'xn--mnchen-3ya.example'],
])('the referrer %s is reduced to %s', (referrer, host) => {
  expect(pickSource({ referrer })).toEqual({ referrer: host });
});

test.each(['', 'javascript:alert(1)', '<b>', 'two words', 'https://', '/path', '?q=x'])(
  'the referrer %j is dropped',
  (referrer) => {
    expect(pickSource({ referrer })).toBeNull();
  },
);

test.each([
  ['/', '/'],
  ['/solutions/ai-agents', '/solutions/ai-agents'],
  ['/contact?industry=education&email=ada@example.org', '/contact'],
  ['/about#team', '/about'],
  ['/follow-up/0.abc.def', '/follow-up'],
  ['/newsletter/confirm/0.abc.def', '/newsletter/confirm'],
  ['/newsletter/unsubscribe/0.abc.def?x', '/newsletter/unsubscribe'],
])('the landing path %s is reduced to %s', (path, reduced) => {
  expect(pickSource({ landing_path: path })).toEqual({ landing_path: reduced });
});

test.each(['about', 'https://example.net/x', '//example.net', '/\\example.net', '', '?utm=x'])(
  'the landing path %j is dropped',
  (path) => {
    expect(pickSource({ landing_path: path })).toBeNull();
  },
);

test.each([['text'], [7], [['list']], [{}], [null], [undefined]])(
  'the source %j is not stored',
  (source) => {
    expect(pickSource(source)).toBeNull();
  },
);

test('the last twenty visited paths are stored in order, without queries, anchors or tokens', () => {
  const visited_paths = [
    ...Array.from({ length: 20 }, (_, index) => `/early-${index}`),
    '/',
    ' /about?email=ada@example.org#team ',
    '/follow-up/0.abc.def',
    'https://example.net/x',
    '/a\u0000b',
    7,
    `/${'x'.repeat(600)}`,
    '/contact',
  ];

  expect(pickVisitedPaths({ visited_paths })).toEqual([
    ...Array.from({ length: 12 }, (_, index) => `/early-${index + 8}`),
    '/',
    '/about',
    '/follow-up',
    '/contact',
  ]);
});

test.each([undefined, null, 'text', {}, { visited_paths: '/about' }, { visited_paths: {} }, { visited_paths: [''] }])(
  '%j has no visited pages',
  (source) => {
    expect(pickVisitedPaths(source)).toBeNull();
  },
);

test('visited pages are not part of the source', () => {
  expect(pickSource({ visited_paths: ['/about'] })).toBeNull();
});
