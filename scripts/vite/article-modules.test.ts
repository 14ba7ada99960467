import { expect, test } from 'vitest';
import { passTitleLevels } from './article-modules.ts';

const heading = (depth: number) => ({ type: 'heading', depth });
const component = (...names: string[]) => ({
  type: 'mdxJsxFlowElement',
  attributes: names.map((name) => ({ type: 'mdxJsxAttribute', name, value: '' })),
});

test('a title is one level below the heading it comes under, and nothing else gets a level', () => {
  const titled = [component('title'), component('title'), component('title')] as const;
  const untitled = component('by');
  passTitleLevels()({
    children: [titled[0], heading(2), titled[1], heading(3), titled[2], untitled],
  });

  expect(titled.map(({ attributes }) => attributes.at(-1))).toEqual(
    ['2', '3', '4'].map((value) => ({ type: 'mdxJsxAttribute', name: 'level', value })),
  );
  expect(untitled.attributes).toHaveLength(1);
});
