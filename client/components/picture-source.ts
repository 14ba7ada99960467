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

/** As wide as the screen. */
const WHOLE_WIDTH = '100vw';

/** What a `<link rel="preload" as="image">` needs to know. */
interface PicturePreload {
  readonly type: string;
  readonly imageSrcSet: string;
  readonly imageSizes: string;
  readonly media?: string;
}

const PRELOADED_FORMAT = 'avif';

function describePreload(file: PictureFile, sizes: string, media?: string): PicturePreload {
  return {
    type: `image/${PRELOADED_FORMAT}`,
    imageSrcSet: file.sources[PRELOADED_FORMAT] ?? '',
    imageSizes: sizes,
    ...(media === undefined ? {} : { media }),
  };
}

/** Preloads of a picture in the best format; a browser that doesn't know it skips them. */
export function listPicturePreloads({
  landscape,
  portrait,
  sizes = WHOLE_WIDTH,
}: PictureSource): PicturePreload[] {
  return portrait
    ? [describePreload(portrait, sizes, MOBILE), describePreload(landscape, sizes, BEYOND_MOBILE)]
    : [describePreload(landscape, sizes)];
}
