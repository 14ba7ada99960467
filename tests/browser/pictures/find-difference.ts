import sharp from 'sharp';

/**
 * How many values a channel can have in a reference. Rounding to these halves the file size. The values are 17 apart,
 * so rounding changes a channel by at most 8.
 */
const LEVELS = 16;
const STEP = 255 / (LEVELS - 1);

/** Tolerated difference per channel, from 0 to 255. Covers rounding and differences between processors. */
const COLOR_TOLERANCE = 10;

/** How many pixels may differ by more. A percentage would hide a changed icon on a long page. */
const PIXEL_TOLERANCE = 10;

export interface Difference {
  /** The number of pixels that differ by more than `COLOR_TOLERANCE`. */
  readonly pixels: number;
  /** A pale copy of the actual screenshot with those pixels in red, as WebP. */
  readonly picture: Buffer;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

const CHANNELS = 3;
const RED = [220, 0, 0] as const;
/** A color that no page uses. It fills the area where one screenshot is smaller than the other. */
const OUTSIDE = '#ff00ff';

/** Returns the smallest size that contains all pictures. */
async function findSize(pictures: readonly Buffer[]): Promise<Size> {
  const sizes = await Promise.all(pictures.map((picture) => sharp(picture).metadata()));

  return {
    width: Math.max(...sizes.map(({ width }) => width)),
    height: Math.max(...sizes.map(({ height }) => height)),
  };
}

/** Extends a picture to a size and returns its pixels, row by row. */
async function readPixels(picture: Buffer, { width, height }: Size): Promise<Buffer> {
  const own = await sharp(picture).metadata();
  const missing = { right: width - own.width, bottom: height - own.height };

  return sharp(picture).removeAlpha().extend({ ...missing, background: OUTSIDE }).raw().toBuffer();
}

/** Turns a screenshot into a reference, a lossless WebP file with rounded colors. */
export async function makeReference(screenshot: Buffer): Promise<Buffer> {
  const { data, info } = await sharp(screenshot).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const rounded = data.map((value) => Math.round(value / STEP) * STEP);
  const raw = { width: info.width, height: info.height, channels: CHANNELS } as const;

  return sharp(rounded, { raw }).webp({ lossless: true, effort: 6 }).toBuffer();
}

/** Turns `after` into a picture of the differences. @returns how many pixels differ */
function markDifferences(before: Buffer, after: Buffer): number {
  let count = 0;
  for (let pixel = 0; pixel < after.length; pixel += CHANNELS) {
    let largest = 0;
    for (let index = pixel; index < pixel + CHANNELS; index += 1) {
      const value = after[index] ?? NaN;
      largest = Math.max(largest, Math.abs(value - (before[index] ?? NaN)));
      // Mix the pixel with an equal amount of white.
      after[index] = (value + 255) / 2;
    }
    if (largest <= COLOR_TOLERANCE) continue;
    after.set(RED, pixel);
    count += 1;
  }

  return count;
}

/** Compares a screenshot with its reference, pixel by pixel. Returns undefined if the difference is tolerated. */
export async function findDifference(reference: Buffer, actual: Buffer): Promise<Difference | undefined> {
  const size = await findSize([reference, actual]);
  const [before, after] = await Promise.all([readPixels(reference, size), readPixels(actual, size)]);
  const pixels = markDifferences(before, after);
  if (pixels <= PIXEL_TOLERANCE) return undefined;
  const picture = await sharp(after, { raw: { ...size, channels: CHANNELS } }).webp({ lossless: true }).toBuffer();

  return { pixels, picture };
}
