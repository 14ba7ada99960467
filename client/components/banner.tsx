import type { ReactNode, Ref } from 'react';
import styles from './banner.module.css';
import { Icon } from './icon.tsx';

export type BannerTone = 'success' | 'error';

interface BannerProps {
  readonly tone: BannerTone;
  readonly ref?: Ref<HTMLDivElement>;
  /** It is read out where it stands, because the focus goes elsewhere. */
  readonly isAlert?: boolean;
  readonly children: ReactNode;
}

/**
 * The result of an action, above the place of the action. It takes the focus, which has it read out; a live region that
 * did so too would be read twice (ARIA practices: an alert leaves the focus where it is).
 */
export function Banner({ tone, ref, isAlert = false, children }: BannerProps) {
  return (
    <div
      ref={ref}
      className={`${styles.banner} ${styles[tone]}`}
      role={isAlert ? 'alert' : undefined}
      tabIndex={-1}
      // For pages in the server's response; in the browser the form moves the focus.
      autoFocus={!isAlert}
    >
      <Icon name={tone === 'error' ? 'circle-alert' : 'circle-check'} />
      <p className={styles.text}>{children}</p>
    </div>
  );
}
