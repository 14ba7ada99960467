import { useEffect, useRef, useState } from 'react';
import type { PictureFile, PictureSource } from './picture-source.ts';
import styles from './responsive-picture.module.css';
import { MOBILE } from './breakpoints.ts';

interface ResponsivePictureProps {
  readonly source: PictureSource;
  /** Alternative text, empty for a decorative picture. */
  readonly alt: string;
  /** Displayed width, as in the `sizes` attribute. */
  readonly sizes: string;
  /** Whether to load with high priority. Set for the largest picture in the first view. */
  readonly isPriority?: boolean;
  readonly className?: string | undefined;
}

type LoadingState = 'loading' | 'loaded' | 'failed';

function Sources({ file, sizes, media }: { file: PictureFile; sizes: string; media?: string }) {
  return Object.entries(file.sources).map(([format, srcSet]) => (
    <source key={format} type={`image/${format}`} srcSet={srcSet} sizes={sizes} media={media} />
  ));
}

/** Returns an image's loading state, even if it loaded or failed before hydration, and the attributes that track it. */
function useLoadingState() {
  const imageRef = useRef<HTMLImageElement>(null);
  const [state, setState] = useState<LoadingState>('loading');

  useEffect(() => {
    const image = imageRef.current;
    // A lazy image that hasn't started loading is not complete.
    if (image?.complete) setState(image.naturalWidth > 0 ? 'loaded' : 'failed');
  }, []);

  const image = {
    ref: imageRef,
    onLoad: () => setState('loaded'),
    onError: () => setState('failed'),
  };

  return { state, image };
}

const FAILED = 'Image failed to load';

/** The placeholder for a picture that failed to load. Screen readers announce it only if the picture has alt text. */
function FailedPicture({ frame, alt }: { frame: string; alt: string }) {
  const words = alt === '' ? { 'aria-hidden': true } : { role: 'img', 'aria-label': `${FAILED}: ${alt}` };

  return (
    <span className={`${frame} ${styles.failed}`} {...words}>
      {FAILED}
    </span>
  );
}

/** A picture in the best supported format. Small screens get its portrait version, if any. */
export function ResponsivePicture({
  source: { landscape, portrait },
  alt,
  sizes,
  isPriority = false,
  className = '',
}: ResponsivePictureProps) {
  const { state, image } = useLoadingState();
  const frame = `${styles.frame} ${isPriority ? '' : styles.lazy} ${className}`;
  if (state === 'failed') return <FailedPicture frame={frame} alt={alt} />;
  const { src, w, h } = landscape.img;

  return (
    <picture className={frame} data-state={state}>
      {portrait && <Sources file={portrait} sizes={sizes} media={MOBILE} />}
      <Sources file={landscape} sizes={sizes} />
      <img
        {...image}
        src={src}
        alt={alt}
        width={w}
        height={h}
        decoding="async"
        fetchPriority={isPriority ? 'high' : 'auto'}
        loading={isPriority ? 'eager' : 'lazy'}
      />
    </picture>
  );
}
