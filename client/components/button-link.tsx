import type { ReactNode } from 'react';
import styles from './button.module.css';

interface ButtonLinkProps {
  readonly href: string;
  /** `solid` has the accent color, `light` suits colored surfaces, and `quiet` is an outline beside a solid button. */
  readonly variant?: 'solid' | 'light' | 'quiet';
  readonly size?: 'regular' | 'small';
  /** Runs before navigation. */
  readonly onClick?: () => void;
  readonly children: ReactNode;
}

/** A link styled as a button, for the page's main action. */
export function ButtonLink({
  href,
  variant = 'solid',
  size = 'regular',
  onClick,
  children,
}: ButtonLinkProps) {
  return (
    <a className={`${styles.button} ${styles[size]} ${styles[variant]}`} href={href} onClick={onClick}>
      {children}
    </a>
  );
}
