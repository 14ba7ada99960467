import { useLayoutEffect, useRef } from 'react';
import { useLocation } from 'react-router-dom';
import { nameCurrentEntry, notePosition, readCurrentKey, readPositions, storePositions } from './scroll-positions.ts';

/**
 * Stores the scroll position of every entry of the tab's history. While the page is hydrated the
 * browser leaves scrolling to us: it would scroll before the page of the entry is shown again.
 * @returns finds the position in pixels of an entry by the key of its location, if the tab is still at that entry
 */
export function useScrollRestoration(): (key: string) => number | undefined {
  const location = useLocation();
  const positions = useRef<Map<string, number>>(undefined);
  const seenEntry = useRef<string>(undefined);
  // While the browser scrolls to a part, or glides there, what is scrolled is no place where the entry was left.
  const isMovingToPart = useRef(false);

  // From the moment its page is shown, what is scrolled belongs to the new entry, unless the tab has moved on.
  useLayoutEffect(() => {
    if (location.key !== readCurrentKey()) return;
    seenEntry.current = location.key;
    isMovingToPart.current = false;
  }, [location]);

  // A layout effect, because those of the router around us come later: our listener has to be before
  // its own, or React may show the other page before the position of this one is recorded.
  useLayoutEffect(() => {
    positions.current = readPositions();
    const disableBrowserRestoration = () => {
      history.scrollRestoration = 'manual';
    };
    const recordPosition = () => {
      if (positions.current && seenEntry.current !== undefined) notePosition(positions.current, seenEntry.current);
    };
    const handleScroll = () => {
      if (!isMovingToPart.current) recordPosition();
    };
    const handlePopState = () => {
      // The event of the last movement may still be to come.
      recordPosition();
      if (history.state !== null) return;
      nameCurrentEntry();
      // At once: the next link may be followed before React has shown this entry.
      seenEntry.current = readCurrentKey();
      isMovingToPart.current = true;
    };
    const handlePageHide = () => {
      recordPosition();
      if (positions.current) storePositions(positions.current);
    };
    disableBrowserRestoration();
    // What was scrolled while React slept.
    recordPosition();
    window.addEventListener('scroll', handleScroll, { passive: true });
    window.addEventListener('popstate', handlePopState);
    window.addEventListener('pageshow', disableBrowserRestoration);
    window.addEventListener('pagehide', handlePageHide);

    return () => {
      window.removeEventListener('scroll', handleScroll);
      window.removeEventListener('popstate', handlePopState);
      window.removeEventListener('pageshow', disableBrowserRestoration);
      window.removeEventListener('pagehide', handlePageHide);
    };
  }, []);

  return (key) => (key === readCurrentKey() ? positions.current?.get(key) : undefined);
}
