import { useEffect, useRef } from 'react';
import { useLocation } from 'react-router-dom';
import { formatTitle } from './page-meta.ts';
import { useSite } from './page-state.tsx';
import { loadScreen, matchScreen } from './screen-registry.ts';

function findAnchor(hash: string): HTMLElement | null {
  return hash === '' ? null : document.getElementById(hash.slice(1));
}

/**
 * After a client-side navigation: the title follows the page, the page starts at its top (or at
 * the anchor) and focus moves to its heading, as a full page load would do. A link to another
 * part of the same page moves there.
 */
export function NavigationEffects() {
  const location = useLocation();
  const site = useSite();
  const shownLocation = useRef(location);

  useEffect(() => {
    const { pathname, hash } = location;
    const previous = shownLocation.current;
    if (previous === location) return;
    shownLocation.current = location;

    if (previous.pathname === pathname) {
      const part = findAnchor(hash);
      part?.scrollIntoView();
      part?.focus({ preventScroll: true });

      return;
    }

    const { file, params } = matchScreen(pathname);
    void loadScreen(file).then(({ getMeta }) => {
      // The visitor may have moved on while the chunk was loading.
      if (shownLocation.current !== location) return;
      const meta = getMeta(site, params);
      if (meta) document.title = formatTitle(meta, site);

      // Moving between pages is not a movement on a page: it never glides.
      const part = findAnchor(hash);
      if (part) part.scrollIntoView({ behavior: 'instant' });
      else window.scrollTo({ top: 0, behavior: 'instant' });

      const heading = document.querySelector<HTMLElement>('main h1');
      (part ?? heading)?.focus({ preventScroll: true });
    });
  }, [location, site]);

  return null;
}
