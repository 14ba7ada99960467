/** A color as `#` and six hexadecimal digits. */
export type HexColor = `#${string}`;

/** The accents a page or a part of it can take; each gives a scheme of its derivations. */
export const accents = {
  green: '#386A49',
  gold: '#CA8A04',
  blue: '#2563EB',
  cyan: '#0891b2',
  pink: '#DB2777',
  purple: '#7C3AED',
  orange: '#EA580C',
  red: '#DC2626',
} as const satisfies Record<string, HexColor>;

export type AccentName = keyof typeof accents;

/** The class that sets the scheme's custom properties on an element and all inside it. */
export function getAccentClass(name: AccentName): string {
  return `accent-${name}`;
}
