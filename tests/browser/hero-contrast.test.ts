import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { computeContrast, type HexColor } from '../../shared/accents/accents.ts';
import { solutions } from '#content/solutions';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import { awaitFrames, serveSite } from './serve-site.ts';

const site = serveSite();

const pathsWithHero = [
  routePatterns.home,
  routePatterns.about,
  '/nope',
  ...solutions.map(({ slug }) => pathTo.solution(slug)),
];
const widths = [390, 800, 1150, 1440];
/** Solution pages share a template and differ only in the picture, so two widths are enough. */
const widthsOfSolutions = [390, 1440];
const HEIGHT = 900;

/** Minimum contrast between text and its background (WCAG 2.2, 1.4.3, level AA). Headings count as large text. */
const required = { heading: 3, text: 4.5 } as const;
/** Fraction of the pixels behind a line to ignore, such as fine highlights. */
const IGNORED = 0.01;
/** How many colors three bytes can represent. */
const COLORS = 2 ** 24;

interface Line {
  readonly kind: keyof typeof required;
  readonly color: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Finds the lines of text over the hero picture, with their positions on the screen. */
function findLines(page: Page): Promise<Line[]> {
  return page.locator('main h1').evaluate((heading) => {
    const texts = [...(heading.parentElement?.querySelectorAll(':scope > h1, :scope > p') ?? [])];

    return texts.flatMap((element) => {
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

interface Picture {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  /** The red, green and blue values of each pixel, row by row. Positions and sizes are in screen pixels. */
  readonly data: Buffer;
}

/** Takes a screenshot of just the area behind the lines. A larger one would take longer to decode. */
async function takePicture(page: Page, lines: readonly Line[]): Promise<Picture> {
  const left = Math.floor(Math.min(...lines.map((line) => line.left)));
  const top = Math.floor(Math.min(...lines.map((line) => line.top)));
  const width = Math.ceil(Math.max(...lines.map((line) => line.left + line.width))) - left;
  const height = Math.ceil(Math.max(...lines.map((line) => line.top + line.height))) - top;
  const file = await page.screenshot({ clip: { x: left, y: top, width, height } });

  return { left, top, width, data: await sharp(file).removeAlpha().raw().toBuffer() };
}

/** Finds the lightest pixel behind a line, ignoring fine highlights. */
function findLightest(picture: Picture, line: Line): HexColor {
  const left = Math.floor(line.left) - picture.left;
  const top = Math.floor(line.top) - picture.top;
  const [width, height] = [Math.ceil(line.width), Math.ceil(line.height)];
  // Encode each pixel as one number, lightness first. Numbers sort a hundred times faster than triples.
  const pixels = Float64Array.from({ length: width * height }, (_, index) => {
    const place = (top + Math.floor(index / width)) * picture.width + left + (index % width);
    const color = picture.data.readUIntBE(place * 3, 3);
    const [red, green, blue] = [color >> 16, (color >> 8) & 0xff, color & 0xff];

    return (2 * red + 7 * green + blue) * COLORS + color;
  }).sort();
  const lightest = pixels.at(-1 - Math.floor(pixels.length * IGNORED)) ?? 0;

  return `#${(lightest % COLORS).toString(16).padStart(6, '0')}`;
}

/** Waits for the pictures for this screen width. */
async function waitForPictures(page: Page): Promise<void> {
  await awaitFrames(page);
  await page.waitForFunction(() =>
    [...document.querySelectorAll<HTMLImageElement>('main img[fetchpriority=high]')].every(({ complete }) => complete),
  );
}

const visit = site.shareTab({
  reducedMotion: 'reduce',
  // The page's policy would block the style that hides the text.
  bypassCSP: true,
});
const TEXTS = ['main h1', 'main h1 ~ p', 'main p:has(~ h1)'];

test.each(pathsWithHero)('the text over the hero picture of %s has enough contrast', async (path) => {
  const { page } = await visit(path);
  const rules = TEXTS.map((text) => `.without-text ${text} { color: transparent !important }`);
  await page.addStyleTag({ content: rules.join('\n') });
  const hideText = (isHidden: boolean) =>
    page.locator('html').evaluate((html, force) => html.classList.toggle('without-text', force), isHidden);

  for (const width of path.startsWith(pathTo.solution('')) ? widthsOfSolutions : widths) {
    await page.setViewportSize({ width, height: HEIGHT });
    await waitForPictures(page);
    const lines = await findLines(page);
    await hideText(true);
    const seen = lines.filter(({ top, height }) => top + height < HEIGHT);
    const picture = await takePicture(page, seen);
    await hideText(false);
    const poor = seen
      .map((line) => ({ line, contrast: computeContrast(readColor(line.color), findLightest(picture, line)) }))
      .filter(({ line, contrast }) => contrast < required[line.kind])
      .map(({ line, contrast }) => `${width} px, ${line.kind} at ${Math.round(line.top)}: ${contrast.toFixed(2)}`);

    expect(seen.length).toBeGreaterThanOrEqual(2);
    expect(poor).toEqual([]);
  }
});
