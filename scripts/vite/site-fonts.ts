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

/** A font of the design: where it comes from and what is kept of it. */
interface FontSource {
  readonly family: string;
  readonly file: string;
  /** Weights the design uses. */
  readonly weights: { readonly min: number; readonly max: number };
  /** The weight most of its text has: the fallbacks are fitted to it. */
  readonly typicalWeight: number;
  /** Axes with one value. */
  readonly fixedAxes: Readonly<Record<string, number>>;
  /** How much wider the fallbacks are made than the average letter of English would have them. */
  readonly fallbackWidth: number;
  /** Fonts of the systems visitors have, in the order they are looked for. */
  readonly fallbacks: Parameters<typeof createFontStack>[0];
}

/** A font as the site serves it. */
interface SubsetFont {
  /** Path of the woff2 file. */
  readonly file: string;
  /** Value of `font-family`: the font and its fitted fallbacks. */
  readonly stack: string;
  /** `@font-face` rules of all of them. */
  readonly faces: string;
}

/** What the interface's words and English copy are written with; the owner's copy may add others. */
const CHARACTERS = [
  ...Array.from({ length: 0x7f - 0x20 }, (_, index) => String.fromCharCode(0x20 + index)),
  ...'\u00a0‘’“”‹›–—…©®™·×÷−≈€£éüöä',
].join('');

/** Kerning and the ligatures text has by itself; nothing else is used. */
const FEATURES = ['kern', 'liga', 'mark', 'mkmk', 'ccmp'];

/** The scripts of a font's further files, with the characters in them (https://drafts.csswg.org/css-fonts/#urange). */
const FURTHER_SCRIPTS = Object.entries(unicodeRanges).filter(([script]) => script !== 'latin');

const isIn = (ranges: string, character: string) =>
  ranges.split(',').some((range) => {
    const [from = 0, to = from] = range.slice('U+'.length).split('-').map((digits) => parseInt(digits, 16));
    const code = character.codePointAt(0) ?? 0;

    return from <= code && code <= to;
  });

/** A file of a font, and which characters it is needed for. */
interface FontPart {
  readonly source: string;
  readonly characters: string;
}

/** The Latin file, and those of other scripts that the text has characters of. */
function listParts({ file }: FontSource, text: string): [FontPart, ...FontPart[]] {
  const rest = [...new Set(text)].filter((character) => !isIn(unicodeRanges.latin, character));
  const further = FURTHER_SCRIPTS.map(([script, ranges]) => ({
    source: file.replace('-latin-', `-${script}-`),
    characters: rest.filter((character) => isIn(ranges, character)).join(''),
  })).filter(({ source, characters }) => characters !== '' && existsSync(source));

  return [{ source: file, characters: text }, ...further];
}

/** All characters of the owner's copy, and those above. */
async function readCharacters(): Promise<string> {
  const texts = [CHARACTERS];
  for await (const file of glob('**/*.{yaml,mdx}', { cwd: contentFolder })) {
    texts.push(await readFile(join(contentFolder, file), 'utf8'));
  }

  return [...new Set(texts.join('').normalize().replace(/\p{C}/gu, ''))].join('');
}

const packageFile = (name: string) => fileURLToPath(import.meta.resolve(name));

// Widths and heights of the systems' fonts are those of @capsizecss/metrics 4.3, and for DejaVu
// read from the font with @capsizecss/unpack.
const fonts: Readonly<Record<'display' | 'text', FontSource>> = {
  display: {
    family: 'Fraunces',
    file: packageFile('@fontsource-variable/fraunces/files/fraunces-latin-full-normal.woff2'),
    weights: { min: 500, max: 600 },
    typicalWeight: 600,
    fixedAxes: { opsz: 96, SOFT: 50, WONK: 0 },
    // Headings have more capitals, and kerning. Of the first headings of all pages at twelve widths of phones and six of
    // desktops the fewest take another number of lines by this: with Georgia 4 of 450 rather than 13, with Noto Serif 9
    // rather than 20, with DejaVu Serif 11 rather than 20.
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
 * A font at one weight, with the axes the site fixes, for what reads neither woff2 nor variable
 * fonts: a file for each script. @param text what is kept of its characters
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

/** Stretches the systems' fonts to the space the font will take, so that its arrival shifts no layout. */
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

/** Writes the subset of one part. @returns its `@font-face` rule */
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

async function makeFont(name: FontName, folder: string): Promise<SubsetFont> {
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

/** Writes the site's two fonts, with only what the copy and the design use. */
async function makeFonts(): Promise<Record<FontName, SubsetFont>> {
  const folder = join(projectRoot, 'node_modules', '.cache', 'fonts');
  await mkdir(folder, { recursive: true });

  return { display: await makeFont('display', folder), text: await makeFont('text', folder) };
}

/**
 * Gives `virtual:fonts.css`, the `@font-face` rules with the two font tokens, and
 * `virtual:font-files`, whose export `fontFiles` lists the URLs to preload.
 */
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
