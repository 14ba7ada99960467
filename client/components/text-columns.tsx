import type { ReactNode } from 'react';
import styles from './text-columns.module.css';

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
