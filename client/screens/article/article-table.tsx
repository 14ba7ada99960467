import { createContext, use, useId, type ComponentProps } from 'react';
import styles from './article-table.module.css';

/** The id of the table head, which labels the frame. */
const HeadId = createContext<string | undefined>(undefined);

/** A table that scrolls sideways on narrow screens. Its frame is focusable for keyboard scrolling. */
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

export function TableHead({ children }: ComponentProps<'thead'>) {
  return <thead id={use(HeadId)}>{children}</thead>;
}

export function HeadCell({ children }: ComponentProps<'th'>) {
  return <th scope="col">{children}</th>;
}
