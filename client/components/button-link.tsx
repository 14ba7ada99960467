import type { ReactNode } from 'react';
import styles from './button.module.css';

interface ButtonLinkProps {
  readonly href: string;
  /** Solid green, solid light for colored surfaces, or an outline beside a solid one. */
  readonly variant?: 'solid' | 'light' | 'quiet';
  readonly size?: 'regular' | 'small';
  /** Before it leads on. */
  readonly onClick?: () => void;
  readonly children: ReactNode;
}

/** A link that looks like a button: the one thing to do next. */
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
