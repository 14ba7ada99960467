/** `#` and six hexadecimal digits. */
export type HexColor = `#${string}`;

/** Returns the class that sets a scheme's custom properties. */
export function getAccentClass(name: string): string {
  return `accent-${name}`;
}

type Channels = readonly [number, number, number];

/** @throws if `hex` isn't `#` and six hexadecimal digits */
export function parseHexColor(hex: HexColor): Channels {
  const match = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(hex);
  if (!match) throw new Error(`${hex} is not a color such as #386A49.`);
  const [red = '', green = '', blue = ''] = match.slice(1);

  return [parseInt(red, 16), parseInt(green, 16), parseInt(blue, 16)];
}

/** Returns the relative luminance, 0 to 1 (WCAG 2.2). */
function computeLuminance(color: HexColor): number {
  const [red, green, blue] = parseHexColor(color).map((channel) => {
    const share = channel / 255;

    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];

  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the contrast ratio between two colors, 1 to 21 (WCAG 2.2). */
export function computeContrast(one: HexColor, other: HexColor): number {
  const [darker = 0, lighter = 0] = [computeLuminance(one), computeLuminance(other)].sort(
    (a, b) => a - b,
  );

  return (lighter + 0.05) / (darker + 0.05);
}
