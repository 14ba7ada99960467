import type { ReactNode } from 'react';
import styles from './page-hero.module.css';
import { ResponsivePicture, type PictureSource } from './responsive-picture.tsx';

interface PageHeroProps {
  readonly title: ReactNode;
  /** Small line above the title: what kind of page this is. */
  readonly label?: string;
  readonly description?: ReactNode;
  readonly picture?: PictureSource;
  /** The buttons. */
  readonly children?: ReactNode;
}

/** The dark band a page starts with; holds its only h1. */
export function PageHero({ title, label, description, picture, children }: PageHeroProps) {
  return (
    <div className={`${styles.hero} ${picture ? styles.tall : ''}`}>
      {picture && (
        <ResponsivePicture className={styles.picture} source={picture} alt="" isPriority />
      )}
      <div className={styles.inner}>
        {label !== undefined && <p className={styles.label}>{label}</p>}
        {/* Focus moves to the heading after a client-side navigation. */}
        <h1 tabIndex={-1}>{title}</h1>
        {description !== undefined && <p className={styles.description}>{description}</p>}
        {children !== undefined && <div className={styles.actions}>{children}</div>}
      </div>
    </div>
  );
}
