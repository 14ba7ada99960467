import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { useCurrentSection } from './use-current-section.ts';

interface PageLinkProps {
  readonly to: string;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** A link of the navigation; tells when its page, or a page below it, is the one shown. */
export function PageLink({ to, className, children }: PageLinkProps) {
  return (
    <Link to={to} className={className} aria-current={useCurrentSection(to)}>
      {children}
    </Link>
  );
}
