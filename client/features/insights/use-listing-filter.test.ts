import { describe, expect, test } from 'vitest';
import type { ListedArticle } from '../../../shared/content/article.ts';
import { filterArticles, parseFilter, toQuery } from './use-listing-filter.ts';

const base = {
  author: 'Editorial team',
  date: '2024-01-15',
  readMinutes: 8,
  picture: 'golden-wave',
  isFeatured: false,
} as const;

const articles: readonly ListedArticle[] = [
  { ...base, slug: 'a', title: 'How to Decide', excerpt: 'Figures first.', category: 'Strategy' },
  {
    ...base,
    slug: 'b',
    title: 'A Café’s Ledger',
    excerpt: 'Small sums, counted.',
    category: 'Finance',
    author: 'Finance practice',
  },
  {
    ...base,
    slug: 'c',
    title: 'A Plant in Order',
    excerpt: 'Figures, too.',
    category: 'Case Studies',
    label: 'Case Study',
  },
];

const find = (search: string, category?: 'Strategy' | 'Security') =>
  filterArticles(articles, { search, category }).map(({ slug }) => slug);

test.each([
  ['nothing', '', ['a', 'b', 'c']],
  ['spaces', '   ', ['a', 'b', 'c']],
  ['a word in a title', 'decide', ['a']],
  ['part of a word', 'figur', ['a', 'c']],
  ['a word in the excerpt', 'counted', ['b']],
  ['the author', 'finance practice', ['b']],
  ['the label', 'case study', ['c']],
  ['words in another order', 'plant figures', ['c']],
  ['different capitalization', 'DECIDE', ['a']],
  ['a word without its accent', 'cafe', ['b']],
  ['a word with an extra accent', 'décide', ['a']],
  ['a word with punctuation', '“decide”?', ['a']],
  ['an unknown word', 'quantum', []],
  ['two words from different articles', 'decide ledger', []],
  ['punctuation only', '%%', []],
])('a search for %s finds the matching articles', (_what, search, found) => {
  expect(find(search)).toEqual(found);
});

test('a category selects its articles, and a search narrows the selection', () => {
  expect(find('', 'Strategy')).toEqual(['a']);
  expect(find('figures', 'Strategy')).toEqual(['a']);
  expect(find('ledger', 'Strategy')).toEqual([]);
  expect(find('', 'Security')).toEqual([]);
});

describe('a URL', () => {
  test.each([
    ['', { search: '', category: undefined }],
    ['q=a+b', { search: 'a b', category: undefined }],
    ['category=Case+Studies', { search: '', category: 'Case Studies' }],
    ['q=x&category=Security', { search: 'x', category: 'Security' }],
  ])('"%s" is parsed and written back', (query, filter) => {
    expect(parseFilter(new URLSearchParams(query))).toEqual(filter);
    expect(toQuery(parseFilter(new URLSearchParams(query))).toString()).toBe(query);
  });

  test('with an unknown category shows all articles', () => {
    expect(parseFilter(new URLSearchParams('category=security')).category).toBeUndefined();
  });
});
