/** One picture's URLs; browsers take the first format they know. */
export interface PictureFormats {
  readonly avif: string;
  readonly webp: string;
  readonly jpg: string;
}

export interface PictureSource {
  readonly landscape: PictureFormats;
  /** Shown on screens up to the mobile breakpoint. */
  readonly portrait?: PictureFormats;
  readonly width: number;
  readonly height: number;
}

const MOBILE = '(width <= 48em)';

function Sources({ formats, media }: { formats: PictureFormats; media?: string }) {
  return (
    <>
      <source type="image/avif" srcSet={formats.avif} media={media} />
      <source type="image/webp" srcSet={formats.webp} media={media} />
    </>
  );
}

interface ResponsivePictureProps {
  readonly source: PictureSource;
  /** Empty when the picture only decorates. */
  readonly alt: string;
  /** The largest thing on the first screen: fetched before the rest. */
  readonly isPriority?: boolean;
  readonly className?: string | undefined;
}

/** A picture in the best format the browser knows, portrait on small screens. */
export function ResponsivePicture({
  source: { landscape, portrait, width, height },
  alt,
  isPriority = false,
  className,
}: ResponsivePictureProps) {
  return (
    <picture className={className}>
      {portrait && (
        <>
          <Sources formats={portrait} media={MOBILE} />
          <source srcSet={portrait.jpg} media={MOBILE} />
        </>
      )}
      <Sources formats={landscape} />
      <img
        src={landscape.jpg}
        alt={alt}
        width={width}
        height={height}
        decoding="async"
        fetchPriority={isPriority ? 'high' : 'auto'}
        loading={isPriority ? 'eager' : 'lazy'}
      />
    </picture>
  );
}
