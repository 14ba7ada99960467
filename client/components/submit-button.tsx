import type { ReactNode } from 'react';
import styles from './button.module.css';

interface SubmitButtonProps {
  readonly variant?: 'solid' | 'outline';
  readonly size?: 'regular' | 'small';
  /** Form entry submitted when this button is pressed. */
  readonly name?: string;
  readonly value?: string;
  readonly isDisabled?: boolean;
  readonly children: ReactNode;
}

/** The submit button of a form. */
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
