import { useId } from 'react';
import styles from './table-of-contents.module.css';

/** A heading in a text, as listed by the build. */
export interface Heading {
  readonly value: string;
  readonly id?: string;
}

interface TableOfContentsProps {
  readonly headings: readonly Heading[];
  /** For texts with numbered sections. */
  readonly isNumbered?: boolean;
}

/** Links to a text's sections, without a title. */
export function ContentsList({ headings, isNumbered = false }: TableOfContentsProps) {
  return (
    <ol className={isNumbered ? styles.numbered : styles.plain} role="list">
      {headings.map(({ value, id }) => (
        <li key={value}>
          <a className={styles.link} href={`#${id}`}>
            {value}
          </a>
        </li>
      ))}
    </ol>
  );
}

/** Links to a long text's sections, with a title. */
export function TableOfContents(props: TableOfContentsProps) {
  const titleId = useId();

  return (
    <nav className={styles.contents} aria-labelledby={titleId}>
      <h2 className={styles.title} id={titleId}>
        On this page
      </h2>
      <ContentsList {...props} />
    </nav>
  );
}
