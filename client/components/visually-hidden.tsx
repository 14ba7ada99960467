import type { ReactNode } from 'react';
import styles from './visually-hidden.module.css';

interface VisuallyHiddenProps {
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
