import type { ReactNode } from 'react';
import styles from './visually-hidden.module.css';

interface VisuallyHiddenProps {
  /**
   * Announces changes. Render the element empty first, not inside `aria-busy`, or screen readers may miss the text.
   */
  readonly role?: 'status';
  /** Hidden from screen readers too. Must not contain focusable elements. */
  readonly isAriaHidden?: boolean;
  readonly children: ReactNode;
}

/** Text for screen readers only. */
export function VisuallyHidden({ role, isAriaHidden, children }: VisuallyHiddenProps) {
  return (
    <span className={styles.hidden} role={role} aria-hidden={isAriaHidden}>
      {children}
    </span>
  );
}
