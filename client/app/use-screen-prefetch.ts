import { useEffect } from 'react';
import { loadScreen, matchScreen } from './screen-registry.ts';

/** The page of ours a pointer or the focus is on a link to. */
function findTarget({ target }: Event): string | undefined {
  const link = target instanceof Element ? target.closest('a') : null;

  return link && link.origin === location.origin ? link.pathname : undefined;
}

function prefetch(event: Event): void {
  const pathname = findTarget(event);
  if (pathname === undefined || pathname === location.pathname) return;
  // A failed prefetch is no error: the click loads the screen again, and reports.
  loadScreen(matchScreen(pathname)).catch(() => undefined);
}

/** Fetches the scripts of a page as soon as a pointer or the focus comes to a link to it. */
export function useScreenPrefetch(): void {
  useEffect(() => {
    document.addEventListener('pointerover', prefetch);
    document.addEventListener('focusin', prefetch);

    return () => {
      document.removeEventListener('pointerover', prefetch);
      document.removeEventListener('focusin', prefetch);
    };
  }, []);
}
