import { expect, test } from 'vitest';
import { listPages } from './list-pages.ts';

const pages = listPages({
  name: 'Example',
  legalEntity: 'Example Holding',
  legalEmail: 'legal@example.com',
  publicUrl: 'https://www.example.com',
});

test('no two pages have the same path', () => {
  expect(new Set(pages.map(({ path }) => path)).size).toBe(pages.length);
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
