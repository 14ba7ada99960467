import { expect, test } from 'vitest';
import { computeContrast, parseHexColor, type HexColor } from '../../accents/accents.ts';
import { palettes } from './mail-styles.ts';

const invert = (color: HexColor): HexColor =>
  `#${parseHexColor(color).map((channel) => (255 - channel).toString(16).padStart(2, '0')).join('')}`;

const pairs = Object.entries(palettes).flatMap(([mode, palette]) =>
  Object.entries<{ text: HexColor; background: HexColor }>(palette).map(([part, pair]) => [mode, part, pair] as const),
);

test.each(pairs)('in %s colors, %s is readable, even if a mail program inverts them', (_mode, _part, pair) => {
  expect(computeContrast(pair.text, pair.background)).toBeGreaterThanOrEqual(4.5);
  expect(computeContrast(invert(pair.text), invert(pair.background))).toBeGreaterThanOrEqual(4.5);
});
