import { computeContrast, parseHexColor, type HexColor } from './accents.ts';

/** Minimum contrast between text and its background (WCAG 2.2, 1.4.3, level AA). */
export const TEXT_CONTRAST = 4.5;

export const WHITE: HexColor = '#FFFFFF';

/** Background colors from `site.yaml` for text in the accent color. */
type Surfaces = Readonly<Record<'cream' | 'sand' | 'deep', HexColor>>;

/** Five shades of one color (specification, section 3), and the shades to use for text and backgrounds. */
interface AccentScheme {
  readonly primary: HexColor;
  readonly darker: HexColor;
  readonly darkest: HexColor;
  readonly lighter: HexColor;
  readonly lightest: HexColor;
  /** Background color for white text. */
  readonly solid: HexColor;
  /** Text color on white, cream, sand and the lightest shade. */
  readonly text: HexColor;
  /** Text color on the brand's deep color. */
  readonly onDeep: HexColor;
}

function mapChannels(color: HexColor, change: (channel: number) => number): HexColor {
  const digits = parseHexColor(color).map((channel) =>
    Math.round(change(channel)).toString(16).padStart(2, '0'),
  );

  return `#${digits.join('')}`;
}

export const darken = (color: HexColor, share: number) =>
  mapChannels(color, (channel) => channel * (1 - share));

export const lighten = (color: HexColor, share: number) =>
  mapChannels(color, (channel) => channel + (255 - channel) * share);

/** Returns the first shade that contrasts enough with all surfaces. */
function findReadableShade(shades: readonly HexColor[], on: readonly HexColor[]): HexColor {
  const found = shades.find((shade) =>
    on.every((surface) => computeContrast(shade, surface) >= TEXT_CONTRAST),
  );
  if (!found) throw new Error(`None of ${shades.join(', ')} has enough contrast with ${on.join(', ')}.`);

  return found;
}

/** Derives a scheme from one color: 30% and 50% darker, 60% and 90% lighter. @throws if no shade is readable */
export function deriveAccentScheme(primary: HexColor, { cream, sand, deep }: Surfaces): AccentScheme {
  const darker = darken(primary, 0.3);
  const darkest = darken(primary, 0.5);
  const lighter = lighten(primary, 0.6);
  const lightest = lighten(primary, 0.9);
  const fromPrimary = [primary, darker, darkest];

  return {
    primary,
    darker,
    darkest,
    lighter,
    lightest,
    solid: findReadableShade(fromPrimary, [WHITE]),
    text: findReadableShade(fromPrimary, [WHITE, cream, sand, lightest]),
    onDeep: findReadableShade([primary, lighter, lightest], [deep]),
  };
}
