import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { listFiles } from './site-paths.ts';
import { findLine, type Mistake } from './yaml-file.ts';

const MAX_MEGAPIXELS = 50;

const PICTURE = /\.(?:avif|gif|jpe?g|png|tiff?|webp)$/i;

/** Patterns that no SVG may contain. */
const drawingFaults = [
  [/<script\b|\son[a-z]+\s*=|javascript:/i, 'has a script'],
  [/(?:\bhref|\bsrc)\s*=\s*["'](?!#|data:)|\burl\(\s*["']?(?!#|data:)|@import|<!ENTITY/i, 'refers to another file'],
] as const;

function checkDrawing(file: string, text: string): Mistake[] {
  return drawingFaults.flatMap(([fault, message]) => {
    const index = text.search(fault);

    return index === -1 ? [] : [{ file, line: findLine(text, index), message }];
  });
}

async function checkPicture(folder: string, file: string): Promise<Mistake[]> {
  const bytes = await readFile(join(folder, file));
  if (file.toLowerCase().endsWith('.svg')) return checkDrawing(file, bytes.toString());
  if (!PICTURE.test(file)) return [];
  const size = await sharp(bytes, { limitInputPixels: false }).metadata().catch(() => undefined);
  if (!size) return [{ file, message: 'is not a picture' }];
  const megapixels = (size.width * size.height) / 1e6;

  return megapixels > MAX_MEGAPIXELS
    ? [{ file, message: `has ${Math.round(megapixels)} megapixels, but at most ${MAX_MEGAPIXELS} are allowed` }]
    : [];
}

/** Finds pictures that can't be read or are too large, and drawings with scripts or external references. */
export async function checkPictures(folder: string): Promise<Mistake[]> {
  const files = listFiles(folder).filter((file) => /^(?:pictures|static)\//.test(file));

  return (await Promise.all(files.map((file) => checkPicture(folder, file)))).flat();
}
