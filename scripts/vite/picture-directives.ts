/** How a picture is made for a use: widths in pixels, and what is cut off. */
interface PictureUse {
  readonly widths: readonly number[];
  readonly crop?: Readonly<Record<string, string>>;
}

/** By the word after `?` in the import of a picture. */
const uses: Readonly<Record<string, PictureUse>> = {
  /** As wide as the screen. */
  hero: { widths: [828, 1280, 1920] },
  /** As wide as a phone. */
  portrait: { widths: [480, 750, 900] },
  /** As wide as a phone, from a picture that has its subject at the right. */
  'right-half': {
    widths: [480, 675],
    crop: { aspect: '3:4', fit: 'cover', position: 'right' },
  },
  /** The same for one with its subject in the middle. */
  center: { widths: [506], crop: { aspect: '3:4', fit: 'cover' } },
  /** A column of the page. */
  column: { widths: [480, 900] },
  /** Beside or above the title of an article. */
  article: { widths: [480, 750, 1200] },
  card: { widths: [400, 800] },
  promo: { widths: [640] },
};

/**
 * Directives of vite-imagetools for an import such as `hero-home.jpg?hero`: AVIF, WebP and JPEG in
 * every width of that use.
 */
export function readPictureDirectives(url: URL): URLSearchParams {
  const [use] = [...url.searchParams.keys()].flatMap((key) => uses[key] ?? []);
  if (!use) return new URLSearchParams();

  return new URLSearchParams({
    w: use.widths.join(';'),
    ...use.crop,
    // Not `jpg`: a picture that comes from the cache is named after what it is, `jpeg`.
    format: 'avif;webp;jpeg',
    // The pictures are soft and mostly lie under a scrim; at 55 no difference is to be seen.
    quality: '55',
    // AVIF at the default effort takes ten times as long and saves a twentieth of the bytes.
    effort: '2',
    as: 'picture',
  });
}
