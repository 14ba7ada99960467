import { BEYOND_MOBILE, MOBILE } from './breakpoints.ts';

/** A picture as the build makes it: every width of each format. */
export interface PictureFile {
  /** Values of `srcset` by format, the best first. */
  readonly sources: Readonly<Record<string, string>>;
  /** For browsers that know none of the formats. */
  readonly img: { readonly src: string; readonly w: number; readonly h: number };
}

export interface PictureSource {
  readonly landscape: PictureFile;
  /** Shown on screens up to the mobile breakpoint. */
  readonly portrait?: PictureFile;
  /** How wide it is shown, as in the `sizes` attribute; without it as wide as the screen. */
  readonly sizes?: string;
}

/**
 * Returns what the `<link rel="preload" as="image">` of a picture need to know. A browser that doesn't know the format,
 * the best one, skips them.
 */
export function listPicturePreloads({ landscape, portrait, sizes = '100vw' }: PictureSource) {
  const describe = (file: PictureFile, media?: string) => ({
    type: 'image/avif',
    imageSrcSet: file.sources['avif'] ?? '',
    imageSizes: sizes,
    media,
  });

  return portrait ? [describe(portrait, MOBILE), describe(landscape, BEYOND_MOBILE)] : [describe(landscape)];
}
