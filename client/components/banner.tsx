import type { ReactNode, Ref } from 'react';
import styles from './banner.module.css';

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
      <svg className={styles.icon} viewBox="0 0 24 24" aria-hidden="true">
        <circle cx="12" cy="12" r="10" />
        {tone === 'error' ? <path d="M12 7v6m0 4v.01" /> : <path d="m7.5 12.5 3 3 6-6.5" />}
      </svg>
      <p className={styles.text}>{children}</p>
    </div>
  );
}
