import type { ReactNode, Ref } from 'react';
import styles from './banner.module.css';
import { Icon } from './icon.tsx';

export type BannerTone = 'success' | 'error';

interface BannerProps {
  readonly tone: BannerTone;
  readonly ref?: Ref<HTMLDivElement>;
  readonly children: ReactNode;
}

/** The outcome of something the visitor did, above where they did it. */
export function Banner({ tone, ref, children }: BannerProps) {
  return (
    <div
      ref={ref}
      className={`${styles.banner} ${styles[tone]}`}
      role={tone === 'error' ? 'alert' : 'status'}
      tabIndex={-1}
      // For pages the server answers with; in the browser React leaves it to the form to focus it.
      autoFocus
    >
      <Icon name={tone === 'error' ? 'circle-alert' : 'circle-check'} />
      <p className={styles.text}>{children}</p>
    </div>
  );
}
