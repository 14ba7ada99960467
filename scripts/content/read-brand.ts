import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InferOutput } from 'valibot';
import type { Brand } from '../../shared/content/brand-schema.ts';
import type { siteSchema } from '../../shared/content/content-schema.ts';
import type { Mistake } from './yaml-file.ts';

/** Everything before an SVG's root element. */
const PROLOG = /^[^]*?(?=<svg\b)/;
/** Attributes that an inlined SVG doesn't need. The logo gets its size from the style sheet. */
const FILE_ATTRIBUTES = /\s(?:width|height|xmlns)="[^"]*"/g;

function readLogo(file: string): string {
  const svg = readFileSync(file, 'utf8').trim().replace(PROLOG, '');

  return svg.replace(/<svg\b[^>]*>/, (root) => root.replace(FILE_ATTRIBUTES, ''));
}

/** Returns the brand with its logo. @param mistakes receives the logo's mistake, if any */
export function readBrand(folder: string, site: InferOutput<typeof siteSchema>, mistakes: Mistake[]): Brand {
  const { accents, ...colors } = site.colors;
  const file = join('pictures', site.logo);
  const logo = existsSync(join(folder, file)) ? readLogo(join(folder, file)) : undefined;
  if (logo !== undefined && !/^<svg\b[^>]*\sviewBox="/.test(logo)) mistakes.push({ file, message: 'needs a viewBox' });

  return { colors, accents: { ...accents, brand: colors.brand }, logo: logo ?? '' };
}
