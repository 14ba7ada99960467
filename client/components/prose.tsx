import type { ReactNode } from 'react';
import styles from './prose.module.css';
import shared from './shared.module.css';

interface ProseProps {
  /** Numbers the second-level headings. */
  readonly isNumbered?: boolean;
  readonly children: ReactNode;
}

/** Running text at a readable line length. */
export function Prose({ isNumbered = false, children }: ProseProps) {
  return <div className={`${shared.stack} ${styles.prose} ${isNumbered ? styles.numbered : ''}`}>{children}</div>;
}

interface TextColumnsProps {
  /** The table of contents: sticky beside the text on wide screens, above it on others. */
  readonly contents: ReactNode;
  readonly children: ReactNode;
}

export function TextColumns({ contents, children }: TextColumnsProps) {
  return (
    <div className={`${shared.page} ${styles.columns}`}>
      <div className={styles.contents}>{contents}</div>
      <div className={styles.text}>{children}</div>
    </div>
  );
}
