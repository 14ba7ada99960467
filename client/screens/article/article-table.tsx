import { createContext, use, useId, type ComponentProps } from 'react';
import styles from './article-table.module.css';

/** The id of a table's head, which labels the table. */
const HeadId = createContext<string | undefined>(undefined);

/** A table in a region that scrolls sideways where the screen is too narrow, by keyboard as well. */
export function Table({ children }: ComponentProps<'table'>) {
  const headId = useId();

  return (
    <div className={styles.frame} role="region" tabIndex={0} aria-labelledby={headId}>
      <HeadId value={headId}>
        <table className={styles.table}>{children}</table>
      </HeadId>
    </div>
  );
}

/** The row of column titles. */
export function TableHead({ children }: ComponentProps<'thead'>) {
  return <thead id={use(HeadId)}>{children}</thead>;
}

/** The title of a column. */
export function HeadCell({ children }: ComponentProps<'th'>) {
  return <th scope="col">{children}</th>;
}
