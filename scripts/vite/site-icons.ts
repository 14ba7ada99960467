import sharp from 'sharp';
import type { Plugin } from 'vite';
import { WHITE } from '../../shared/accents/accent-scheme.ts';
import type { Brand } from '../../shared/content/brand-schema.ts';
import { buildFolder } from '../../shared/node/content/build-folder.ts';
import { iconPaths } from '../../shared/paths.ts';
import { readContent } from '../content/load-content.ts';
import { toTokenName } from './brand-styles.ts';

const RADIUS = 14;

/** Draws a 64-unit icon: the logo on the brand's color, or on white if the logo has its own colors. */
function drawIcon({ colors, logo }: Brand, size: number, radius = RADIUS): string {
  const isTinted = logo.includes('currentColor');
  // The brand's color is dark, so the highlight is the one for dark surfaces.
  const onTile = Object.entries({ ...colors, highlight: colors.highlightOnDeep }).reduce(
    (svg, [name, color]) => svg.replaceAll(`var(${toTokenName(name)})`, color),
    logo.replaceAll('currentColor', colors.cream),
  );
  const mark = onTile.replace('<svg', '<svg x="8.3" y="8.3" width="47.4" height="47.4"');

  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="${size}" height="${size}"><rect width="64" height="64" rx="${radius}" fill="${isTinted ? colors.brand : WHITE}"/>${mark}</svg>`;
}

const drawPng = (brand: Brand, size: number, radius?: number) =>
  sharp(Buffer.from(drawIcon(brand, size, radius))).png({ palette: true }).toBuffer();

/** Size of the icon in `favicon.ico`, in pixels. */
const ICO_SIZE = 32;
const ICO_HEADER_BYTES = 22;

/** Returns the header of an ICO file that contains one PNG. */
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

/** Draws the icons for tabs and home screens. Returns them by path. */
async function drawIcons(): Promise<ReadonlyMap<string, Buffer | string>> {
  const { brand } = await readContent(buildFolder);
  const small = await drawPng(brand, ICO_SIZE);

  return new Map<string, Buffer | string>([
    [iconPaths.svg, drawIcon(brand, 64)],
    [iconPaths.ico, Buffer.concat([writeIcoHeader(small), small])],
    // iOS rounds the corners itself.
    [iconPaths.appleTouch, await drawPng(brand, 180, 0)],
    [iconPaths.png[192], await drawPng(brand, 192)],
    [iconPaths.png[512], await drawPng(brand, 512)],
  ]);
}

/** A plugin that draws icons from the logo and the brand's colors: at build time, or on request in development. */
export const siteIcons = (): Plugin => ({
  name: 'site-icons',
  applyToEnvironment: ({ name }) => name === 'client',
  configureServer: ({ middlewares }) => {
    middlewares.use((request, response, next) => {
      const path = request.url ?? '';
      if (!/^\/[\w-]+\.(?:ico|png|svg)$/.test(path)) return next();
      const type = path.endsWith('.svg') ? 'image/svg+xml' : 'image/png';
      drawIcons().then((icons) => {
        const icon = icons.get(path);
        if (icon === undefined) next();
        else response.setHeader('content-type', type).end(icon);
      }, next);
    });
  },
  async generateBundle() {
    for (const [path, source] of await drawIcons()) this.emitFile({ type: 'asset', fileName: path.slice(1), source });
  },
});
