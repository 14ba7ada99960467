import type { ReactNode } from 'react';
import styles from './prose.module.css';

interface ProseProps {
  /** Counts the second-level headings. */
  readonly isNumbered?: boolean;
  readonly children: ReactNode;
}

/** Running text in a readable measure. */
export function Prose({ isNumbered = false, children }: ProseProps) {
  return <div className={`${styles.prose} ${isNumbered ? styles.numbered : ''}`}>{children}</div>;
}
