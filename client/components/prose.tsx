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

interface TextColumnsProps {
  /** In sight as long as the text is, where there is room beside it; else above it. */
  readonly contents: ReactNode;
  readonly children: ReactNode;
}

/** A long text with its table of contents. */
export function TextColumns({ contents, children }: TextColumnsProps) {
  return (
    <div className={styles.columns}>
      <div className={styles.contents}>{contents}</div>
      <div className={styles.text}>{children}</div>
    </div>
  );
}
