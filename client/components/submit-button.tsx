import type { ReactNode } from 'react';
import styles from './button.module.css';

interface SubmitButtonProps {
  /** Solid green, or an outline beside a solid one. */
  readonly variant?: 'solid' | 'outline';
  readonly size?: 'regular' | 'small';
  /** The form's entry when this button is pressed. */
  readonly name?: string;
  readonly value?: string;
  readonly isDisabled?: boolean;
  readonly children: ReactNode;
}

/** Sends the form it is in. */
export function SubmitButton({
  variant = 'solid',
  size = 'regular',
  name,
  value,
  isDisabled = false,
  children,
}: SubmitButtonProps) {
  return (
    <button
      className={`${styles.button} ${styles[size]} ${styles[variant]}`}
      type="submit"
      name={name}
      value={value}
      disabled={isDisabled}
    >
      {children}
    </button>
  );
}
