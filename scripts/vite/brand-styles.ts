import { darken, deriveAccentScheme } from '../../shared/accents/accent-scheme.ts';
import { getAccentClass, parseHexColor } from '../../shared/accents/accents.ts';
import type { Brand } from '../../shared/content/brand-schema.ts';

/** Returns the custom property for a color: `--color-on-deep` for `onDeep`. */
export const toTokenName = (name: string) =>
  `--color-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

function writeAccent([name, accent]: readonly [string, Brand['accents'][string]], { colors }: Brand): string {
  const scheme = deriveAccentScheme(accent, colors);

  return `.${getAccentClass(name)} {
  --accent: ${scheme.primary};
  --accent-darker: ${scheme.darker};
  --accent-darkest: ${scheme.darkest};
  --accent-lighter: ${scheme.lighter};
  --accent-lightest: ${scheme.lightest};
  --accent-solid: ${scheme.solid};
  --accent-text: ${scheme.text};
  --accent-on-deep: ${scheme.onDeep};
}`;
}

/** 18%, as the last two digits of a hexadecimal color. */
const HAIRLINE_OPACITY = '2e';

/**
 * Returns the brand's color tokens, and a class per accent that sets its scheme's custom properties. `--deep` is for
 * scrims: `rgb(var(--deep) / 80%)`.
 */
export function writeBrandStyles(brand: Brand): string {
  const { colors, accents } = brand;
  const derived = { brandDark: darken(colors.brand, 0.3), hairlineOnDeep: `${colors.onDeep}${HAIRLINE_OPACITY}` };
  const tokens = Object.entries({ ...colors, ...derived }).map(
    ([name, color]) => `${toTokenName(name)}: ${color.toLowerCase()};`,
  );

  return `@layer tokens {\n:root {\n${tokens.join('\n')}\n--deep: ${parseHexColor(colors.deep).join(' ')};\n}\n}
@layer first-view {\n${Object.entries(accents).map((entry) => writeAccent(entry, brand)).join('\n')}\n}`;
}
