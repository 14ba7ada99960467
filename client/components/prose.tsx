import type { ComponentProps, ReactNode } from 'react';
import { Link } from './link.tsx';
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

/** A link of a text written in Markdown: to a page of ours without loading a document. */
export function TextLink({ href = '', children }: ComponentProps<'a'>) {
  return href.startsWith('/') ? <Link to={href}>{children}</Link> : <a href={href}>{children}</a>;
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
