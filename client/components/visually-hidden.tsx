import type { ReactNode } from 'react';
import styles from './visually-hidden.module.css';

interface VisuallyHiddenProps {
  readonly role?: 'status';
  readonly children: ReactNode;
}

/** Words that are read out and not shown. */
export function VisuallyHidden({ role, children }: VisuallyHiddenProps) {
  return (
    <span className={styles.hidden} role={role}>
      {children}
    </span>
  );
}
