import { existsSync } from 'node:fs';
import { glob, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFontStack } from '@capsizecss/core';
import { fromBuffer } from '@capsizecss/unpack';
import unicodeRanges from '@fontsource-variable/inter/unicode.json' with { type: 'json' };
import subsetFont from 'subset-font';
import { contentFolder } from '../content/load-content.ts';
import { projectRoot } from '../processes.ts';
import { virtualModules } from './virtual-modules.ts';

/** A font, and the parts of it that the design uses. */
interface FontSource {
  readonly family: string;
  readonly file: string;
  /** Weights the design uses. */
  readonly weights: { readonly min: number; readonly max: number };
  /** Weight of most text. Fallbacks are fitted to it. */
  readonly typicalWeight: number;
  /** Axes that are fixed to one value. */
  readonly fixedAxes: Readonly<Record<string, number>>;
  /** Correction factor for the fallbacks' width, which is computed from English letter frequencies. */
  readonly fallbackWidth: number;
  /** Fonts installed on visitors' systems, in order of preference. */
  readonly fallbacks: Parameters<typeof createFontStack>[0];
}

/** Characters used in the interface and in English copy. The owner's copy may add others. */
const CHARACTERS = [
  ...Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index)),
  ...'\u00a0‘’“”‹›–—…©®™·×÷−≈€£éüöä',
].join('');

/** Kerning and standard ligatures. */
const FEATURES = ['kern', 'liga', 'mark', 'mkmk', 'ccmp'];

/** Scripts other than Latin with their characters (https://drafts.csswg.org/css-fonts/#urange). Each gets its own file. */
const FURTHER_SCRIPTS = Object.entries(unicodeRanges).filter(([script]) => script !== 'latin');

const includesCharacter = (ranges: string, character: string) =>
  ranges.split(',').some((range) => {
    const [from = 0, to = from] = range.slice('U+'.length).split('-').map((digits) => parseInt(digits, 16));
    const code = character.codePointAt(0) ?? 0;

    return from <= code && code <= to;
  });

/** A font file and the characters to keep in it. */
interface FontPart {
  readonly source: string;
  readonly characters: string;
}

/** Returns a part for Latin, and one for each other script in the text. */
function listParts({ file }: FontSource, text: string): [FontPart, ...FontPart[]] {
  const rest = [...new Set(text)].filter((character) => !includesCharacter(unicodeRanges.latin, character));
  const further = FURTHER_SCRIPTS.map(([script, ranges]) => ({
    source: file.replace('-latin-', `-${script}-`),
    characters: rest.filter((character) => includesCharacter(ranges, character)).join(''),
  })).filter(({ source, characters }) => characters !== '' && existsSync(source));

  return [{ source: file, characters: text }, ...further];
}

/** Returns all characters in the interface and the owner's copy. */
async function readCharacters(): Promise<string> {
  const texts = [CHARACTERS];
  for await (const file of glob('**/*.{yaml,mdx}', { cwd: contentFolder })) {
    texts.push(await readFile(join(contentFolder, file), 'utf8'));
  }

  return [...new Set(texts.join('').normalize().replace(/\p{C}/gu, ''))].join('');
}

const packageFile = (name: string) => fileURLToPath(import.meta.resolve(name));

// System font metrics come from @capsizecss/metrics 4.3. DejaVu's were read from the font with @capsizecss/unpack.
const fonts: Readonly<Record<'display' | 'text', FontSource>> = {
  display: {
    family: 'Fraunces',
    file: packageFile('@fontsource-variable/fraunces/files/fraunces-latin-full-normal.woff2'),
    weights: { min: 500, max: 600 },
    typicalWeight: 600,
    fixedAxes: { opsz: 96, SOFT: 50, WONK: 0 },
    // Headings have more capitals than other text and are kerned. Measured on the first heading of every page at 18
    // widths (450 cases). When the font loads, the number of lines changes in 4 cases with Georgia (13 without this
    // factor), 9 with Noto Serif (20) and 11 with DejaVu Serif (20).
    fallbackWidth: 1.018,
    fallbacks: [
      { familyName: 'Georgia', fullName: 'Georgia Bold', postscriptName: 'Georgia-Bold', ascent: 1878, descent: -449, lineGap: 0, unitsPerEm: 2048, xWidthAvg: 1062 },
      { familyName: 'Noto Serif', fullName: 'Noto Serif Bold', postscriptName: 'NotoSerif-Bold', ascent: 1069, descent: -293, lineGap: 0, unitsPerEm: 1000, xWidthAvg: 512 },
      { familyName: 'DejaVu Serif', fullName: 'DejaVu Serif Bold', postscriptName: 'DejaVuSerif-Bold', ascent: 1923, descent: -483, lineGap: 0, unitsPerEm: 2048, xWidthAvg: 1168 },
    ],
  },
  text: {
    family: 'Inter',
    file: packageFile('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
    weights: { min: 400, max: 600 },
    typicalWeight: 400,
    fixedAxes: {},
    fallbackWidth: 1,
    fallbacks: [
      { familyName: 'Arial', postscriptName: 'ArialMT', ascent: 1854, descent: -434, lineGap: 67, unitsPerEm: 2048, xWidthAvg: 913 },
      { familyName: 'Roboto', fullName: 'Roboto Regular', postscriptName: 'Roboto-Regular', ascent: 1900, descent: -500, lineGap: 0, unitsPerEm: 2048, xWidthAvg: 911 },
      { familyName: 'DejaVu Sans', postscriptName: 'DejaVuSans', ascent: 1901, descent: -483, lineGap: 0, unitsPerEm: 2048, xWidthAvg: 1041 },
    ],
  },
};

type FontName = keyof typeof fonts;

/**
 * Returns a font at one weight, one file per script, for programs that read neither woff2 nor variable fonts.
 * @param text contains the characters to keep
 */
export function makeStaticFonts(name: FontName, weight: number, text: string): Promise<Buffer[]> {
  const font = fonts[name];

  return Promise.all(
    listParts(font, text).map(async ({ source, characters }) =>
      subsetFont(await readFile(source), characters, {
        targetFormat: 'sfnt',
        keepFeatures: ['kern'],
        variationAxes: { ...font.fixedAxes, wght: weight },
      }),
    ),
  );
}

/** Fits system fonts to the font's width, so that loading it doesn't shift the layout. */
async function fitFallbacks(font: FontSource, original: Buffer) {
  const { family, fixedAxes, typicalWeight, fallbackWidth, fallbacks } = font;
  const typical = await subsetFont(original, CHARACTERS, {
    targetFormat: 'sfnt',
    variationAxes: { ...fixedAxes, wght: typicalWeight },
  });
  const { subsets, ...metrics } = await fromBuffer(typical);
  const xWidthAvg = subsets.latin.xWidthAvg * fallbackWidth;

  return createFontStack([{ ...metrics, xWidthAvg, familyName: family }, ...fallbacks]);
}

/** Writes the subset of one part. Returns its `@font-face` rule. */
async function makeFace({ family, weights, fixedAxes }: FontSource, { source, characters }: FontPart, file: string, range = '') {
  const subset = await subsetFont(await readFile(source), characters, {
    targetFormat: 'woff2',
    keepFeatures: FEATURES,
    variationAxes: { ...fixedAxes, wght: weights },
  });
  await writeFile(file, subset);

  return `@font-face {
  font-family: '${family}';
  font-style: normal;
  font-weight: ${weights.min} ${weights.max};
  font-display: swap;
  src: url('${file}') format('woff2');${range}
}`;
}

const writeRange = (characters: string) =>
  `\n  unicode-range: ${[...characters].map((character) => `U+${character.codePointAt(0)?.toString(16)}`).join(', ')};`;

/** Writes a font. Returns its file, its `font-family` with fitted fallbacks, and all `@font-face` rules. */
async function makeFont(name: FontName, folder: string) {
  const font = fonts[name];
  const file = join(folder, `${name}.woff2`);
  const [latin, ...further] = listParts(font, await readCharacters());
  const faces = await Promise.all([
    makeFace(font, latin, file),
    ...further.map((part, index) => makeFace(font, part, join(folder, `${name}-${index}.woff2`), writeRange(part.characters))),
  ]);
  const { fontFamily, fontFaces } = await fitFallbacks(font, await readFile(font.file));

  return { file, stack: fontFamily, faces: [...faces, fontFaces].join('\n') };
}

/** Writes subsets of the site's two fonts. */
async function makeFonts() {
  const folder = join(projectRoot, 'node_modules', '.cache', 'fonts');
  await mkdir(folder, { recursive: true });

  return { display: await makeFont('display', folder), text: await makeFont('text', folder) };
}

/** Provides `virtual:fonts.css` with `@font-face` rules and font tokens, and `virtual:font-files` with the URLs to preload. */
export function siteFonts() {
  let made: ReturnType<typeof makeFonts> | undefined;

  return virtualModules('site-fonts', {
    'virtual:fonts.css': async () => {
      const { display, text } = await (made ??= makeFonts());

      return `${display.faces}
${text.faces}
@layer tokens {
  :root {
    --font-display: ${display.stack}, serif;
    --font-text: ${text.stack}, system-ui, sans-serif;
  }
}`;
    },
    'virtual:font-files': async () => {
      const { display, text } = await (made ??= makeFonts());

      return `import display from '${display.file}?url';
import text from '${text.file}?url';
export const fontFiles = [display, text];`;
    },
  });
}
