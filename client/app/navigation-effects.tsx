import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router-dom';
import { formatTitle } from './page-meta.ts';
import { useSite } from './page-state.tsx';
import { loadScreen, matchScreen } from './screen-registry.ts';

/**
 * After a client-side navigation: the title follows the page, the page starts at its top (or at
 * the anchor) and focus moves to its heading, as a full page load would do.
 */
export function NavigationEffects() {
  const { pathname, hash } = useLocation();
  const site = useSite();
  const shownPathname = useRef(pathname);

  useEffect(() => {
    if (shownPathname.current === pathname) return;
    shownPathname.current = pathname;

    const { file, params } = matchScreen(pathname);
    void loadScreen(file).then(({ getMeta }) => {
      const meta = getMeta(site, params);
      if (meta) document.title = formatTitle(meta, site);

      const target = hash ? document.getElementById(hash.slice(1)) : null;
      if (target) target.scrollIntoView();
      else window.scrollTo(0, 0);

      document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
    });
  }, [pathname, hash, site]);

  return null;
}
