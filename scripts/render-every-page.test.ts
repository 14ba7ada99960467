import { expect, test } from 'vitest';
import { solutions } from '#content/solutions';
import { pathTo } from '../shared/paths.ts';
import { renderEveryPage } from './render-every-page.ts';

test('a build renders every page and fails when one breaks, even if only readers with the password see it', async () => {
  const rendered: string[] = [];
  const run = renderEveryPage(async (location, { insights }) => {
    if (insights?.articles) throw new Error('The listing is broken.');
    rendered.push(location);

    return '';
  });

  await expect(run).rejects.toThrow('The listing is broken.');
  expect(rendered).toEqual(expect.arrayContaining(solutions.map(({ slug }) => pathTo.solution(slug))));
});
