import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brand } from '#content/brand';
import { createElement } from 'react';
import satori, { type Font } from 'satori';
import sharp from 'sharp';
import { darken } from '../shared/accents/accent-scheme.ts';
import { listPages, type Page } from '../shared/node/content/list-pages.ts';
import { routePatterns } from '../shared/paths.ts';
import type { Site } from '../shared/site.ts';
import { contentFolder } from './content/load-content.ts';
import { makeStaticFonts } from './vite/site-fonts.ts';

/** In pixels, as recommended for sharing (https://ogp.me, 1.91:1). */
const SIZE = { width: 1200, height: 630 };

const MARGIN = 72;
const TEXT_WIDTH = 640;
const JPEG_QUALITY = 82;

const { colors } = brand;
const scrimColor = darken(colors.deep, 0.26);

/** Titles don't contain the site's name, which is unknown at build time. */
const siteWithoutName: Site = { name: '', legalEntity: '', legalEmail: '', publicUrl: '' };

const picturesFolder = join(contentFolder, 'pictures');

/** Maximum title length by font size, for at most four lines. */
const titleSizes = [
  { upTo: 24, size: 92 },
  { upTo: 44, size: 76 },
  { upTo: 54, size: 68 },
  { upTo: Number.POSITIVE_INFINITY, size: 60 },
] as const;

/** Returns the label above a title, for pages whose title doesn't say what they are. */
const findLabel = ({ path, kind, meta }: Page) =>
  meta.article?.section ??
  (path === routePatterns.contact ? 'Contact' : kind === 'solution' ? 'Solution' : undefined);

const findTitleSize = (title: string) =>
  titleSizes.find(({ upTo }) => title.length <= upTo)?.size ?? 0;

interface Background {
  readonly data: Buffer;
  readonly info: sharp.OutputInfo;
}

/** Darkens the left side so that text is readable on any picture. */
const scrim = `<svg xmlns="http://www.w3.org/2000/svg" width="${SIZE.width}" height="${SIZE.height}">
  <linearGradient id="scrim">
    <stop offset="0" stop-color="${scrimColor}" stop-opacity="0.94"/>
    <stop offset="0.4" stop-color="${scrimColor}" stop-opacity="0.82"/>
    <stop offset="0.62" stop-color="${scrimColor}" stop-opacity="0.5"/>
    <stop offset="0.85" stop-color="${scrimColor}" stop-opacity="0"/>
  </linearGradient>
  <rect width="100%" height="100%" fill="url(#scrim)"/>
</svg>`;

const findBackgroundFile = ({ picture }: Page) =>
  join(picturesFolder, picture === undefined ? 'og-base.png' : join('articles', `${picture}.jpg`));

function decodeBackground(file: string): Promise<Background> {
  return sharp(file)
    .resize({ ...SIZE, fit: 'cover' })
    .composite([{ input: Buffer.from(scrim) }])
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
}

const FONT_WEIGHT = 600;

/** Loads each font and its parts for other scripts, which satori uses as fallbacks. */
async function loadFonts(text: string): Promise<Font[]> {
  const fonts = (['display', 'text'] as const).map(async (name) => {
    const parts = await makeStaticFonts(name, FONT_WEIGHT, text);

    return parts.map((data, index): Font => ({ name: index === 0 ? name : `${name}-${index}`, data, weight: FONT_WEIGHT }));
  });

  return (await Promise.all(fonts)).flat();
}

function drawText(page: Page, fonts: Font[]): Promise<string> {
  const { title } = page.meta;
  const label = findLabel(page);
  const labelStyle = {
    fontFamily: 'text',
    fontSize: 32,
    letterSpacing: 0.5,
    color: colors.highlightOnDeep,
    marginBottom: 24,
  };
  const titleStyle = {
    fontFamily: 'display',
    fontSize: findTitleSize(title),
    lineHeight: 1.1,
    letterSpacing: '-0.015em',
    textWrap: 'balance',
    color: colors.cream,
  };
  const columnStyle = {
    display: 'flex',
    flexDirection: 'column',
    justifyContent: 'center',
    width: TEXT_WIDTH,
    height: '100%',
    marginLeft: MARGIN,
  } as const;

  return satori(
    createElement(
      'div',
      { style: columnStyle },
      label === undefined ? null : createElement('div', { style: labelStyle }, label),
      createElement('div', { style: titleStyle }, title),
    ),
    {
      ...SIZE,
      fonts,
      onStyleError: (error) => {
        throw error;
      },
    },
  );
}

async function drawPicture(page: Page, background: Background, fonts: Font[]): Promise<Buffer> {
  const text = await drawText(page, fonts);
  const { width, height, channels } = background.info;

  return sharp(background.data, { raw: { width, height, channels } })
    .composite([{ input: Buffer.from(text) }])
    .jpeg({ quality: JPEG_QUALITY, mozjpeg: true })
    .toBuffer();
}

function nameFile(path: string, picture: Buffer): string {
  const page = path === routePatterns.home ? 'home' : path.slice(1).replaceAll('/', '-');
  const hash = createHash('sha256').update(picture).digest('hex').slice(0, 8);

  return `sharing-${page}-${hash}.jpg`;
}

/** Draws each page's sharing picture, 1200 by 630 pixels. Returns file names by path. */
export async function buildSharingPictures(outputFolder: string): Promise<Record<string, string>> {
  const pages = listPages(siteWithoutName).filter(({ meta }) => !meta.isHidden);
  const text = pages.map((page) => `${page.meta.title}${findLabel(page) ?? ''}`).join('');
  // Decoded once per file.
  const backgrounds = new Map<string, Promise<Background>>();
  const fonts = await loadFonts(text);
  await mkdir(outputFolder, { recursive: true });

  const files = await Promise.all(
    pages.map(async (page) => {
      const file = findBackgroundFile(page);
      const background = backgrounds.get(file) ?? decodeBackground(file);
      backgrounds.set(file, background);
      const picture = await drawPicture(page, await background, fonts);
      const name = nameFile(page.path, picture);
      await writeFile(join(outputFolder, name), picture);

      return [page.path, name] as const;
    }),
  );

  return Object.fromEntries(files);
}
