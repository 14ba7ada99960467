import type { ReactNode } from 'react';
import styles from './button.module.css';

interface SubmitButtonProps {
  readonly isDisabled?: boolean;
  readonly children: ReactNode;
}

/** Sends the form it is in. */
export function SubmitButton({ isDisabled = false, children }: SubmitButtonProps) {
  return (
    <button
      className={`${styles.button} ${styles.regular} ${styles.solid}`}
      type="submit"
      disabled={isDisabled}
    >
      {children}
    </button>
  );
}
