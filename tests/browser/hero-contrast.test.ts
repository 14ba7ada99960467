import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { computeContrast, type HexColor } from '../../shared/accents/accents.ts';
import { solutions } from '../../shared/content/solutions.ts';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import { serveSite } from './serve-site.ts';

const site = serveSite();

const pathsWithHero = [
  routePatterns.home,
  routePatterns.about,
  '/nope',
  ...solutions.map(({ slug }) => pathTo.solution(slug)),
];
const widths = [390, 800, 1150, 1440];

/** Contrast of text to its background (WCAG 2.2, 1.4.3, level AA); headings count as large. */
const required = { heading: 3, text: 4.5 } as const;
/** Share of a line's pixels that may be lighter: the finest highlights. */
const IGNORED = 0.01;
/** How many colors three bytes have. */
const COLORS = 2 ** 24;

interface Line {
  readonly kind: keyof typeof required;
  readonly color: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The lines of text over the hero's picture, where they stand on the screen. */
function findLines(page: Page): Promise<Line[]> {
  return page.locator('main h1').evaluate((heading) => {
    const words = [...(heading.parentElement?.querySelectorAll(':scope > h1, :scope > p') ?? [])];

    return words.flatMap((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const kind = element === heading ? ('heading' as const) : ('text' as const);
      const { color } = getComputedStyle(element);

      return [...range.getClientRects()]
        .filter(({ width, height }) => width > 1 && height > 1)
        .map(({ left, top, width, height }) => ({ kind, color, left, top, width, height }));
    });
  });
}

function toHex(channels: readonly number[]): HexColor {
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

const readColor = (color: string) => toHex((color.match(/\d+/g) ?? []).slice(0, 3).map(Number));

/** The lightest of the pixels behind a line, the finest highlights apart. */
async function findLightest(picture: Buffer, line: Line): Promise<HexColor> {
  const { data, info } = await sharp(picture)
    .extract({
      left: Math.floor(line.left),
      top: Math.floor(line.top),
      width: Math.ceil(line.width),
      height: Math.ceil(line.height),
    })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  // Each pixel as one number, by its lightness first: those sort a hundred times faster than triples.
  const pixels = Float64Array.from({ length: info.width * info.height }, (_, index) => {
    const color = data.readUIntBE(index * 3, 3);
    const [red, green, blue] = [color >> 16, (color >> 8) & 0xff, color & 0xff];

    return (2 * red + 7 * green + blue) * COLORS + color;
  }).sort();
  const lightest = pixels.at(-1 - Math.floor(pixels.length * IGNORED)) ?? 0;

  return `#${(lightest % COLORS).toString(16).padStart(6, '0')}`;
}

test.each(pathsWithHero)('the words over the picture of %s keep their contrast', async (path) => {
  const { page } = await site.visit(path, {
    reducedMotion: 'reduce',
    // To hide the text: the page itself allows only its own styles.
    bypassCSP: true,
  });
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    await page.reload();
    const lines = await findLines(page);
    await page.addStyleTag({ content: 'main h1, main h1 ~ p, main p:has(~ h1) { color: transparent !important }' });
    const picture = await page.screenshot();
    const poor: string[] = [];
    for (const line of lines.filter(({ top, height }) => top + height < 900)) {
      const contrast = computeContrast(readColor(line.color), await findLightest(picture, line));
      if (contrast < required[line.kind]) {
        poor.push(`${width} px, ${line.kind} at ${Math.round(line.top)}: ${contrast.toFixed(2)}`);
      }
    }

    expect(lines.length).toBeGreaterThanOrEqual(2);
    expect(poor).toEqual([]);
  }
});
