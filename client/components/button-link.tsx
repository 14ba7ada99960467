import type { ReactNode } from 'react';
import styles from './button.module.css';
import { Link } from './link.tsx';

interface ButtonLinkProps {
  readonly to: string;
  /** Solid green, solid light for colored surfaces, or an outline beside a solid one. */
  readonly variant?: 'solid' | 'light' | 'quiet';
  readonly size?: 'regular' | 'small';
  /** Before it leads on. */
  readonly onClick?: () => void;
  readonly children: ReactNode;
}

/** A link that looks like a button: the one thing to do next. */
export function ButtonLink({
  to,
  variant = 'solid',
  size = 'regular',
  onClick,
  children,
}: ButtonLinkProps) {
  return (
    <Link className={`${styles.button} ${styles[size]} ${styles[variant]}`} to={to} onClick={onClick}>
      {children}
    </Link>
  );
}
