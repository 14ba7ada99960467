import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { COLOR_TOLERANCE, findDifference, PIXEL_TOLERANCE } from '../support/screenshots/find-difference.ts';

const SIZE = 40;
const GRAY = 128;

/** A gray square whose first `pixels` pixels are lighter. */
function draw(pixels: number, lighter: number, height = SIZE): Promise<Buffer> {
  const data = Buffer.alloc(SIZE * height * 3, GRAY).fill(GRAY + lighter, 0, pixels * 3);

  return sharp(data, { raw: { width: SIZE, height, channels: 3 } }).png().toBuffer();
}

describe('two screenshots', () => {
  test('that are the same do not differ', async () => {
    expect(await findDifference(await draw(0, 0), await draw(0, 0))).toBeUndefined();
  });

  test.each([
    ['many pixels differ by what another processor rounds', SIZE * SIZE, COLOR_TOLERANCE],
    ['a few pixels differ by much', PIXEL_TOLERANCE, 100],
  ])('do not differ where %s', async (_what, pixels, lighter) => {
    expect(await findDifference(await draw(0, 0), await draw(pixels, lighter))).toBeUndefined();
  });

  test('differ by one pixel more than a few, and by a color a little further away', async () => {
    const pixels = PIXEL_TOLERANCE + 1;

    const difference = await findDifference(await draw(0, 0), await draw(pixels, COLOR_TOLERANCE + 1));

    expect(difference?.pixels).toBe(pixels);
  });

  test.each([
    ['longer', SIZE, SIZE + 2],
    ['shorter', SIZE + 2, SIZE],
  ])('differ where one is %s than the other', async (_what, before, after) => {
    const difference = await findDifference(await draw(0, 0, before), await draw(0, 0, after));

    expect(difference?.pixels).toBe(2 * SIZE);
  });

  test('are shown by a picture in which what differs is red and the rest pale', async () => {
    const difference = await findDifference(await draw(0, 0), await draw(20, 50));
    const pixels = await sharp(difference?.picture).raw().toBuffer();

    expect([...pixels.subarray(0, 3)]).toEqual([220, 0, 0]);
    expect([...pixels.subarray(-3)]).toEqual([191, 191, 191]);
  });
});
