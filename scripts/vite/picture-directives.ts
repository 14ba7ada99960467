/** A picture's widths in pixels and its crop. */
interface PictureUse {
  readonly widths: readonly number[];
  readonly crop?: Readonly<Record<string, string>>;
}

/** The ways pictures are used, by the query in their import. */
const uses: Readonly<Record<string, PictureUse>> = {
  /** Full width of the screen. */
  hero: { widths: [828, 1280, 1920] },
  /** Full width of a phone. */
  portrait: { widths: [480, 750, 900] },
  /** Full width of a phone, cropped from a picture with its subject on the right. */
  'right-half': {
    widths: [480, 675],
    crop: { aspect: '3:4', fit: 'cover', position: 'right' },
  },
  /** Full width of a phone, cropped from a picture with its subject in the middle. */
  center: { widths: [506], crop: { aspect: '3:4', fit: 'cover' } },
  /** Width of a column. */
  column: { widths: [480, 900] },
  /** Beside or above an article's title. */
  article: { widths: [480, 750, 1200] },
  card: { widths: [400, 800] },
  promo: { widths: [640] },
};

/** Returns the vite-imagetools directives for an import such as `hero-home.jpg?hero`: AVIF, WebP and JPEG in every width. */
export function readPictureDirectives(url: URL): URLSearchParams {
  const [use] = [...url.searchParams.keys()].flatMap((key) => uses[key] ?? []);
  if (!use) return new URLSearchParams();

  return new URLSearchParams({
    w: use.widths.join(';'),
    ...use.crop,
    // Not `jpg`, because pictures from the cache have the extension `jpeg`.
    format: 'avif;webp;jpeg',
    // The pictures are soft and mostly under a scrim. At quality 55, no difference is visible.
    quality: '55',
    // For AVIF, the default effort takes ten times as long and makes files only 5% smaller.
    effort: '2',
    as: 'picture',
  });
}
