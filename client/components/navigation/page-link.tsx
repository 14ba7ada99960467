import type { ReactNode } from 'react';
import { useLocation } from 'react-router-dom';
import { usePageState } from '../../app/page-state.tsx';

/**
 * Returns a link's `aria-current`: 'page' on its own page, 'true' on a page below it, undefined elsewhere and on 404
 * pages.
 */
export function useCurrentSection(path: string): 'page' | 'true' | undefined {
  const { pathname } = useLocation();
  const { isNotFound } = usePageState();
  if (isNotFound) return undefined;
  if (pathname === path) return 'page';

  const folder = path.endsWith('/') ? path : `${path}/`;

  return folder !== '/' && pathname.startsWith(folder) ? 'true' : undefined;
}

interface PageLinkProps {
  readonly href: string;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** A navigation link, marked as current on its page and the pages below it. */
export function PageLink({ href, className, children }: PageLinkProps) {
  return (
    <a href={href} className={className} aria-current={useCurrentSection(href)}>
      {children}
    </a>
  );
}
