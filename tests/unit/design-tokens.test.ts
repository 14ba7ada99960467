import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { surfaces } from '../../shared/accents/accent-scheme.ts';

test('accents are fitted to the surfaces the design tokens name', () => {
  const tokens = readFileSync(new URL('../../client/styles/tokens.css', import.meta.url), 'utf8');

  expect(tokens).toContain(`--color-cream: ${surfaces.cream.toLowerCase()};`);
  expect(tokens).toContain(`--color-sand: ${surfaces.sand.toLowerCase()};`);
  expect(tokens).toContain(`--color-deep: ${surfaces.deep.toLowerCase()};`);
});
