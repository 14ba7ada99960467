import { BEYOND_MOBILE, MOBILE } from './breakpoints.ts';

/** A picture in all formats and widths the build produced. */
export interface PictureFile {
  /** `srcset` by format, best format first. */
  readonly sources: Readonly<Record<string, string>>;
  /** Fallback for browsers that support none of the formats. */
  readonly img: { readonly src: string; readonly w: number; readonly h: number };
}

export interface PictureSource {
  readonly landscape: PictureFile;
  /** Used on screens up to the mobile breakpoint. */
  readonly portrait?: PictureFile;
  /** Displayed width, as in the `sizes` attribute. Defaults to the full screen width. */
  readonly sizes?: string;
}

/**
 * Returns the attributes for a picture's preload links. They contain only AVIF, so browsers without AVIF support skip
 * them.
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
