import { useEffect, useLayoutEffect, useRef } from 'react';
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
 * Keeps how far down every entry of the tab's history is scrolled. While the page is live the
 * browser leaves scrolling to us: it would scroll before the page of the entry is shown again.
 * @returns finds the position in pixels of an entry, by the key of its location
 */
export function useScrollMemory(): (key: string) => number | undefined {
  const { key } = useLocation();
  const positions = useRef<Map<string, number>>(undefined);
  const shownKey = useRef(key);

  // From the moment its page is shown, what is scrolled belongs to the new entry.
  useLayoutEffect(() => {
    shownKey.current = key;
  }, [key]);

  useEffect(() => {
    positions.current = readPositions();
    const take = () => {
      window.history.scrollRestoration = 'manual';
    };
    const remember = () => {
      // Set anew, so that the entries last seen are the last of the map.
      positions.current?.delete(shownKey.current);
      positions.current?.set(shownKey.current, Math.round(window.scrollY));
    };
    const giveBack = () => {
      window.history.scrollRestoration = 'auto';
      if (positions.current) storePositions(positions.current);
    };
    take();
    window.addEventListener('scroll', remember, { passive: true });
    window.addEventListener('pageshow', take);
    window.addEventListener('pagehide', giveBack);

    return () => {
      window.removeEventListener('scroll', remember);
      window.removeEventListener('pageshow', take);
      window.removeEventListener('pagehide', giveBack);
    };
  }, []);

  return (entry) => positions.current?.get(entry);
}
