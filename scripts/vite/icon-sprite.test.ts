import { expect, test } from 'vitest';
import { iconNames } from '../../shared/content/icon-name.ts';
import { drawSprite } from './icon-sprite.ts';

test('the sprite has every icon that content may name, as shapes that take color and stroke from where they are used', async () => {
  const sprite = await drawSprite();
  const symbols = [...sprite.matchAll(/<symbol id="([^"]+)" viewBox="0 0 24 24">(<[^]+?)<\/symbol>/g)];

  expect(symbols.map(([, id]) => id)).toEqual(iconNames);
  expect(sprite).not.toMatch(/ (?:stroke|stroke-width|class)="/);
});
