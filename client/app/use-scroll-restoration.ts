import { useLayoutEffect, useRef } from 'react';
import { useLocation } from 'react-router-dom';

const STORAGE_KEY = 'scroll-positions';
/** Entries of the history whose position is stored; older ones are dropped. */
const MAX_ENTRIES = 50;

function readPositions(): Map<string, number> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]') as [string, number][]);
  } catch {
    // No storage, or not ours: then pages start at their top.
    return new Map();
  }
}

function storePositions(positions: ReadonlyMap<string, number>): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify([...positions].slice(-MAX_ENTRIES)));
  } catch {
    // Full or forbidden: going back after a reload starts at the top, nothing else is lost.
  }
}

/**
 * Names an entry of the history by its location's key. The first entry of every document has the
 * same key, so it is named by the document.
 */
const nameEntry = (key: string) => (key === 'default' ? String(performance.timeOrigin) : key);

/**
 * Stores the scroll position of every entry of the tab's history. While the page is hydrated the
 * browser leaves scrolling to us: it would scroll before the page of the entry is shown again.
 * @returns finds the position in pixels of an entry, by the key of its location
 */
export function useScrollRestoration(): (key: string) => number | undefined {
  const { key } = useLocation();
  const positions = useRef<Map<string, number>>(undefined);
  const shownEntry = useRef('');

  // From the moment its page is shown, what is scrolled belongs to the new entry.
  useLayoutEffect(() => {
    shownEntry.current = nameEntry(key);
  }, [key]);

  // A layout effect, because those of the router around us come later: our listener has to be before
  // its own, or React may show the other page before the position of this one is recorded.
  useLayoutEffect(() => {
    positions.current = readPositions();
    const disableBrowserRestoration = () => {
      window.history.scrollRestoration = 'manual';
    };
    const recordPosition = () => {
      // Deleted first, so that the entries last seen are the last of the map.
      positions.current?.delete(shownEntry.current);
      positions.current?.set(shownEntry.current, Math.round(window.scrollY));
    };
    const handlePageHide = () => {
      window.history.scrollRestoration = 'auto';
      if (positions.current) storePositions(positions.current);
    };
    disableBrowserRestoration();
    window.addEventListener('scroll', recordPosition, { passive: true });
    // The event of the last movement may still be to come.
    window.addEventListener('popstate', recordPosition);
    window.addEventListener('pageshow', disableBrowserRestoration);
    window.addEventListener('pagehide', handlePageHide);

    return () => {
      window.removeEventListener('scroll', recordPosition);
      window.removeEventListener('popstate', recordPosition);
      window.removeEventListener('pageshow', disableBrowserRestoration);
      window.removeEventListener('pagehide', handlePageHide);
    };
  }, []);

  return (entryKey) => positions.current?.get(nameEntry(entryKey));
}
