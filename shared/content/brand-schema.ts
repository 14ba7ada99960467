import * as v from 'valibot';
import { darken, deriveAccentScheme, lighten, TEXT_CONTRAST, WHITE } from '../accents/accent-scheme.ts';
import { computeContrast, type HexColor } from '../accents/accents.ts';
import { slug } from './schema-fields.ts';

/* Schema of the brand's colors in `site.yaml`. The browser may import only its types. */

const color = v.custom<HexColor>(
  (value) => typeof value === 'string' && /^#[\da-f]{6}$/i.test(value),
  "must be a color like '#386A49', in quotes",
);

const palette = v.strictObject({
  brand: color,
  deep: color,
  highlight: color,
  cream: color,
  sand: color,
  ink: color,
  muted: color,
  onDeep: color,
  onDeepMuted: color,
  highlightOnDeep: color,
  hairline: color,
  fieldBorder: color,
  /** Color schemes of solutions, by the names used in their files. */
  accents: v.record(slug, color),
});

type Palette = v.InferOutput<typeof palette>;

/** Minimum contrast for non-text elements such as field borders (WCAG 2.2, 1.4.11). */
const SHAPE_CONTRAST = 3;

type Surface = 'white' | 'cream' | 'sand' | 'deep';

/** Surfaces that each color must contrast with. For a background color, these are the colors of the text on it. */
const uses: Readonly<Partial<Record<keyof Palette, readonly Surface[]>>> = {
  brand: ['white', 'cream', 'sand'],
  deep: ['white', 'cream'],
  ink: ['white', 'cream', 'sand'],
  muted: ['white', 'cream', 'sand'],
  onDeep: ['deep'],
  onDeepMuted: ['deep'],
  highlightOnDeep: ['deep'],
  fieldBorder: ['white', 'cream'],
};

/** Returns the passing color with the smallest change toward black or white, in steps of one percent. */
function findNearestColor(color: HexColor, passes: (candidate: HexColor) => boolean): HexColor | undefined {
  for (let percent = 1; percent <= 100; percent += 1) {
    const found = [darken(color, percent / 100), lighten(color, percent / 100)].find(passes);
    if (found) return found.toUpperCase() as HexColor;
  }

  return undefined;
}

function hasReadableShades(accent: HexColor, colors: Palette): boolean {
  try {
    return Boolean(deriveAccentScheme(accent, colors));
  } catch {
    return false;
  }
}

interface Unreadable {
  readonly path: readonly string[];
  readonly message: string;
}

const suggest = (nearest: HexColor | undefined) => (nearest ? `; the nearest color that passes is ${nearest}` : '');

/** Returns the colors that have too little contrast where they are used. */
function listUnreadable(colors: Palette): Unreadable[] {
  const surfaces: Record<Surface, HexColor> = { ...colors, white: WHITE };
  const own = (Object.keys(uses) as (keyof typeof uses)[]).flatMap((name) => {
    const value = colors[name] as HexColor;
    const needed = name === 'fieldBorder' ? SHAPE_CONTRAST : TEXT_CONTRAST;
    const on = uses[name] ?? [];
    const isLow = (candidate: HexColor) => (surface: Surface) => computeContrast(candidate, surfaces[surface]) < needed;
    const low = on.filter(isLow(value));
    if (low.length === 0) return [];
    const nearest = findNearestColor(value, (candidate) => !on.some(isLow(candidate)));

    return [{ path: [name], message: `needs a contrast of at least ${needed} against ${low.join(' and ')}${suggest(nearest)}` }];
  });
  const accents = Object.entries(colors.accents).flatMap(([name, accent]) => {
    if (hasReadableShades(accent, colors)) return [];
    const nearest = findNearestColor(accent, (candidate) => hasReadableShades(candidate, colors));

    return [{ path: ['accents', name], message: `has no shade with a contrast of at least ${TEXT_CONTRAST}${suggest(nearest)}` }];
  });

  return [...own, ...accents];
}

/** Schema of the brand's colors. @see `uses` for the required contrasts (WCAG 2.2, level AA) */
export const brandColorsSchema = v.pipe(
  palette,
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed || dataset.issues) return;
    for (const { path, message } of listUnreadable(dataset.value)) {
      addIssue({
        message,
        path: path.map((key) => ({ type: 'object' as const, origin: 'value' as const, input: {}, key, value: key })) as [
          v.IssuePathItem,
        ],
      });
    }
  }),
);

/** The brand as configured in `site.yaml`. */
export interface Brand {
  readonly colors: Readonly<Omit<Palette, 'accents'>>;
  /** `colors.accents` plus `brand`. */
  readonly accents: Readonly<Record<string, HexColor>>;
  /** SVG markup for inlining: without a size or namespace. */
  readonly logo: string;
}
