import { useLayoutEffect, useRef } from 'react';
import { useLocation } from 'react-router-dom';

const STORAGE_KEY = 'scroll-positions';
/** Entries of the history whose position is kept; older ones are forgotten. */
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
 * Keeps how far down every entry of the tab's history is scrolled. While the page is live the
 * browser leaves scrolling to us: it would scroll before the page of the entry is shown again.
 * @returns finds the position in pixels of an entry, by the key of its location
 */
export function useScrollMemory(): (key: string) => number | undefined {
  const { key } = useLocation();
  const positions = useRef<Map<string, number>>(undefined);
  const shownEntry = useRef('');

  // From the moment its page is shown, what is scrolled belongs to the new entry.
  useLayoutEffect(() => {
    shownEntry.current = nameEntry(key);
  }, [key]);

  // A layout effect, because those of the router around us come later: our listener has to be before
  // its own, or React may show the other page before the position of this one is noted.
  useLayoutEffect(() => {
    positions.current = readPositions();
    const take = () => {
      window.history.scrollRestoration = 'manual';
    };
    const remember = () => {
      // Set anew, so that the entries last seen are the last of the map.
      positions.current?.delete(shownEntry.current);
      positions.current?.set(shownEntry.current, Math.round(window.scrollY));
    };
    const refund = () => {
      window.history.scrollRestoration = 'auto';
      if (positions.current) storePositions(positions.current);
    };
    take();
    window.addEventListener('scroll', remember, { passive: true });
    // The event of the last movement may still be to come.
    window.addEventListener('popstate', remember);
    window.addEventListener('pageshow', take);
    window.addEventListener('pagehide', refund);

    return () => {
      window.removeEventListener('scroll', remember);
      window.removeEventListener('popstate', remember);
      window.removeEventListener('pageshow', take);
      window.removeEventListener('pagehide', refund);
    };
  }, []);

  return (entryKey) => positions.current?.get(nameEntry(entryKey));
}
