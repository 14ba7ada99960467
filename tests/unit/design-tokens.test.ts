import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { grounds } from '../../shared/accents/accent-scheme.ts';

test('accents are fitted to the grounds the design tokens name', () => {
  const tokens = readFileSync(new URL('../../client/styles/tokens.css', import.meta.url), 'utf8');

  expect(tokens).toContain(`--color-cream: ${grounds.cream.toLowerCase()};`);
  expect(tokens).toContain(`--color-sand: ${grounds.sand.toLowerCase()};`);
  expect(tokens).toContain(`--color-deep: ${grounds.deep.toLowerCase()};`);
});
