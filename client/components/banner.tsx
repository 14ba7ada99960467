import type { ReactNode, Ref } from 'react';
import styles from './banner.module.css';
import { Icon } from './icon.tsx';
import { autoFocusOnServer } from './auto-focus-on-server.ts';

export type BannerTone = 'success' | 'error';

interface BannerProps {
  readonly tone: BannerTone;
  readonly ref?: Ref<HTMLDivElement>;
  /** Id for a field's `aria-describedby`. */
  readonly id?: string;
  readonly children: ReactNode;
}

/** The result of an action, shown above its form. */
export function Banner({ tone, ref, id, children }: BannerProps) {
  return (
    <div
      ref={ref}
      id={id}
      className={`${styles.banner} ${styles[tone]}`}
      role={tone === 'error' ? 'alert' : 'status'}
      tabIndex={-1}
      {...autoFocusOnServer(true)}
    >
      <Icon name={tone === 'error' ? 'circle-alert' : 'circle-check'} />
      <p className={styles.text}>{children}</p>
    </div>
  );
}
