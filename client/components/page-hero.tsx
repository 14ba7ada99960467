import type { ReactNode } from 'react';
import styles from './page-hero.module.css';
import type { PictureSource } from './picture-source.ts';
import { ResponsivePicture } from './responsive-picture.tsx';

export interface HeroBackground {
  readonly picture: PictureSource;
  /** A `BackgroundVideo` over the picture, passed in so that other pages don't load its code. */
  readonly video?: ReactNode;
}

interface PageHeroProps extends Partial<HeroBackground> {
  readonly title: ReactNode;
  /** Small line above the title, naming the kind of page. */
  readonly label?: string;
  readonly description?: ReactNode;
  /** Opacity of the dark overlay on the picture. */
  readonly overlayOpacity?: 0.5 | 0.65 | 0.7;
  /** Buttons below the description. */
  readonly children?: ReactNode;
}

const overlayClasses = {
  0.5: styles.overlay50,
  0.65: styles.overlay65,
  0.7: styles.overlay70,
} as const;

/** The dark band at the top of a page, with the page's only h1. */
export function PageHero({
  title,
  label,
  description,
  picture,
  video,
  overlayOpacity = 0.5,
  children,
}: PageHeroProps) {
  return (
    <div className={`${styles.hero} ${picture ? styles.tall : ''}`}>
      {picture && (
        <div className={styles.background}>
          <ResponsivePicture
            className={styles.picture}
            source={picture}
            alt=""
            sizes="100vw"
            isPriority
          />
        </div>
      )}
      {video}
      {picture && <div className={`${styles.overlay} ${overlayClasses[overlayOpacity]}`} />}
      <div className={styles.inner}>
        {label !== undefined && <p className={styles.label}>{label}</p>}
        <h1>{title}</h1>
        {description !== undefined && <p className={styles.description}>{description}</p>}
        {children !== undefined && <div className={styles.actions}>{children}</div>}
      </div>
    </div>
  );
}
