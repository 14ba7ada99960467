import type { ReactNode } from 'react';
import styles from './visually-hidden.module.css';

interface VisuallyHiddenProps {
  /**
   * Read out whenever it changes. It stands there empty before, and outside of what is busy meanwhile: what comes with
   * its words, or changes in a busy part, may be left out.
   */
  readonly role?: 'status';
  /** Not for people at all: what is inside mustn't take the focus. */
  readonly isUnheard?: boolean;
  readonly children: ReactNode;
}

/** Words that are read out and not shown. */
export function VisuallyHidden({ role, isUnheard, children }: VisuallyHiddenProps) {
  return (
    <span className={styles.hidden} role={role} aria-hidden={isUnheard}>
      {children}
    </span>
  );
}
