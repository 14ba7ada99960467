import type { ReactNode } from 'react';
import styles from './page-body.module.css';

/** The part of a page below its hero that is one column of text without bands. */
export function PageBody({ children }: { children: ReactNode }) {
  return (
    <div className={styles.body}>
      <div className={styles.inner}>{children}</div>
    </div>
  );
}
