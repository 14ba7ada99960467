import { expect, test } from 'vitest';
import { brand } from '#content/brand';
import { deriveAccentScheme, TEXT_CONTRAST, WHITE } from './accent-scheme.ts';
import { computeContrast, type HexColor } from './accents.ts';

const { accents, colors } = brand;

test('a scheme has shades that are 30% and 50% darker and 60% and 90% lighter', () => {
  expect(deriveAccentScheme('#7C3AED', colors)).toMatchObject({
    primary: '#7C3AED',
    darker: '#5729a6',
    darkest: '#3e1d77',
    lighter: '#cbb0f8',
    lightest: '#f2ebfd',
  });
});

test('contrast is computed as WCAG defines it', () => {
  expect(computeContrast('#000000', '#FFFFFF')).toBeCloseTo(21, 5);
  expect(computeContrast('#777777', '#FFFFFF')).toBeCloseTo(4.478, 3);
});

test.each(Object.entries(accents))('%s has a readable shade for each use: behind white text, and as text on light and deep surfaces', (_name, hex: HexColor) => {
  const scheme = deriveAccentScheme(hex, colors);
  const surfaces = [WHITE, colors.cream, colors.sand, scheme.lightest].map((surface) => [scheme.text, surface] as const);

  for (const [text, surface] of [[WHITE, scheme.solid], [scheme.onDeep, colors.deep], ...surfaces] as const) {
    expect(computeContrast(text, surface)).toBeGreaterThanOrEqual(TEXT_CONTRAST);
  }
});
