import {
  createContext,
  use,
  useEffect,
  useId,
  useRef,
  useState,
  type ComponentProps,
  type RefObject,
} from 'react';
import styles from './article-table.module.css';

/** The id of a table's head, which says what the table holds. */
const HeadId = createContext<string | undefined>(undefined);

/**
 * Whether an element has more beside what it shows. It is said to have until scripts have measured
 * it: without them a keyboard still reaches everything.
 */
function useOverflow(ref: RefObject<HTMLElement | null>): boolean {
  const [hasOverflow, setHasOverflow] = useState(true);

  useEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() =>
      setHasOverflow(element.scrollWidth > element.clientWidth),
    );
    observer.observe(element);

    return () => observer.disconnect();
  }, [ref]);

  return hasOverflow;
}

/** A table; where the screen is too narrow for it, a region that scrolls sideways. */
export function Table({ children }: ComponentProps<'table'>) {
  const headId = useId();
  const ref = useRef<HTMLDivElement>(null);
  const region = useOverflow(ref)
    ? ({ role: 'region', tabIndex: 0, 'aria-labelledby': headId } as const)
    : {};

  return (
    <div className={styles.frame} ref={ref} {...region}>
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
