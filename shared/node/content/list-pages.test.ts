import { expect, test } from 'vitest';
import { routePatterns } from '../../paths.ts';
import { listPages, type PageKind } from './list-pages.ts';

const pages = listPages({
  name: 'Example',
  legalEntity: 'Example Holding',
  legalEmail: 'legal@example.com',
  publicUrl: 'https://www.example.com',
});
const visiblePages = pages.filter(({ meta }) => !meta.isHidden);

test('no two pages have the same path', () => {
  expect(new Set(pages.map(({ path }) => path)).size).toBe(pages.length);
});

test('there are eight solutions, nine articles, their listing and seven other pages', () => {
  const count = (kind: PageKind) => pages.filter((page) => page.kind === kind).length;

  expect(count('solution')).toBe(8);
  expect(count('article')).toBe(9);
  expect(pages.length).toBe(8 + 9 + 1 + 7);
});

test('only the video test page is hidden', () => {
  expect(pages.filter(({ meta }) => meta.isHidden).map(({ path }) => path)).toEqual([
    routePatterns.videoTest,
  ]);
});

test('no two pages share a title or a description', () => {
  expect(new Set(pages.map(({ meta }) => meta.title)).size).toBe(pages.length);
  expect(new Set(pages.map(({ meta }) => meta.description)).size).toBe(pages.length);
});

test('what search engines show of a visible page has 110 to 160 characters', () => {
  const unfit = visiblePages
    .map(({ path, meta }) => ({ path, length: meta.description.length }))
    .filter(({ length }) => length < 110 || length > 160);

  expect(unfit).toEqual([]);
});

test('every page was last changed on a day of the calendar that is not in the future', () => {
  const today = new Date().toISOString().slice(0, 10);
  const unfit = pages.filter(({ meta: { updatedOn } }) => {
    const isDay =
      /^\d{4}-\d{2}-\d{2}$/.test(updatedOn) &&
      new Date(`${updatedOn}T00:00:00Z`).toISOString().startsWith(updatedOn);

    return !isDay || updatedOn > today;
  });

  expect(unfit).toEqual([]);
});
