import type { ReactNode } from 'react';
import styles from './prose.module.css';

/** Running text in a readable measure. */
export function Prose({ children }: { children: ReactNode }) {
  return <div className={styles.prose}>{children}</div>;
}
