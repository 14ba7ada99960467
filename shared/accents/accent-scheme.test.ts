import { describe, expect, test } from 'vitest';
import { brand } from '#content/brand';
import { deriveAccentScheme, TEXT_CONTRAST, WHITE } from './accent-scheme.ts';
import { computeContrast, type HexColor } from './accents.ts';

const { accents, colors } = brand;

test('a scheme has shades 30 % and 50 % darker and 60 % and 90 % lighter', () => {
  expect(deriveAccentScheme('#7C3AED', colors)).toMatchObject({
    primary: '#7C3AED',
    darker: '#5729a6',
    darkest: '#3e1d77',
    lighter: '#cbb0f8',
    lightest: '#f2ebfd',
  });
});

test('contrast follows the definition of WCAG', () => {
  expect(computeContrast('#000000', '#FFFFFF')).toBeCloseTo(21, 5);
  expect(computeContrast('#777777', '#FFFFFF')).toBeCloseTo(4.478, 3);
});

describe.each(Object.entries(accents))('%s', (_name, hex: HexColor) => {
  const scheme = deriveAccentScheme(hex, colors);

  test('carries white text on its solid background', () => {
    expect(computeContrast(scheme.solid, WHITE)).toBeGreaterThanOrEqual(TEXT_CONTRAST);
  });

  test('is readable as text on every light surface and on the deep one', () => {
    for (const surface of [WHITE, colors.cream, colors.sand, scheme.lightest]) {
      expect(computeContrast(scheme.text, surface)).toBeGreaterThanOrEqual(TEXT_CONTRAST);
    }
    expect(computeContrast(scheme.onDeep, colors.deep)).toBeGreaterThanOrEqual(TEXT_CONTRAST);
  });
});
