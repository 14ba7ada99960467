import type { ReactNode } from 'react';
import styles from './button.module.css';

/** Sends the form it is in. */
export function SubmitButton({ children }: { children: ReactNode }) {
  return (
    <button className={`${styles.button} ${styles.regular} ${styles.solid}`} type="submit">
      {children}
    </button>
  );
}
