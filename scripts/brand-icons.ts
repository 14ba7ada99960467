import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brand } from '#content/brand';
import sharp from 'sharp';
import { WHITE } from '../shared/accents/accent-scheme.ts';
import { iconPaths } from '../shared/paths.ts';
import { toTokenName } from './vite/brand-styles.ts';

const { colors, logo } = brand;

/** A square of 64 units: the logo on the brand's color, or on white where the logo has its own colors. */
function drawIcon(size: number, radius: number): string {
  const isTinted = logo.includes('currentColor');
  // On the brand's color the highlight is the one for dark surfaces.
  const onTile = Object.entries({ ...colors, highlight: colors.highlightOnDeep }).reduce(
    (svg, [name, color]) => svg.replaceAll(`var(${toTokenName(name)})`, color),
    logo.replaceAll('currentColor', colors.cream),
  );
  const mark = onTile.replace('<svg', '<svg x="8.3" y="8.3" width="47.4" height="47.4"');

  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="${size}" height="${size}"><rect width="64" height="64" rx="${radius}" fill="${isTinted ? colors.brand : WHITE}"/>${mark}</svg>`;
}

const RADIUS = 14;

const drawPng = (size: number, radius = RADIUS) =>
  sharp(Buffer.from(drawIcon(size, radius))).png({ palette: true }).toBuffer();

/** Pixels of the icon in `favicon.ico`. */
const ICO_SIZE = 32;
const ICO_HEADER_BYTES = 22;

/** The header of an ICO file with one picture, a PNG. */
function writeIcoHeader(png: Buffer): Buffer {
  const header = Buffer.alloc(ICO_HEADER_BYTES);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(1, 4);
  header.writeUInt8(ICO_SIZE, 6);
  header.writeUInt8(ICO_SIZE, 7);
  header.writeUInt16LE(1, 10);
  header.writeUInt16LE(32, 12);
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(ICO_HEADER_BYTES, 18);

  return header;
}

/** Makes the icons of tabs and home screens from the logo and the brand's colors. */
export async function buildIcons(outputFolder: string): Promise<void> {
  await mkdir(outputFolder, { recursive: true });
  const small = await drawPng(ICO_SIZE);
  const icons: readonly (readonly [path: string, content: Buffer | string])[] = [
    [iconPaths.svg, drawIcon(64, RADIUS)],
    [iconPaths.ico, Buffer.concat([writeIcoHeader(small), small])],
    // iOS rounds it itself.
    [iconPaths.appleTouch, await drawPng(180, 0)],
    [iconPaths.png[192], await drawPng(192)],
    [iconPaths.png[512], await drawPng(512)],
  ];
  await Promise.all(icons.map(([path, content]) => writeFile(join(outputFolder, path), content)));
}
