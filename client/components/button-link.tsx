import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import styles from './button.module.css';

interface ButtonLinkProps {
  readonly to: string;
  /** Solid green, solid light for colored surfaces, or an outline beside a solid one. */
  readonly variant?: 'solid' | 'light' | 'quiet';
  readonly size?: 'regular' | 'small';
  readonly children: ReactNode;
}

/** A link that looks like a button: the one thing to do next. */
export function ButtonLink({
  to,
  variant = 'solid',
  size = 'regular',
  children,
}: ButtonLinkProps) {
  return (
    <Link className={`${styles.button} ${styles[size]} ${styles[variant]}`} to={to}>
      {children}
    </Link>
  );
}
