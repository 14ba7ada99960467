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

/** The key of the location shown by the address, as the router reads it. */
const readCurrentKey = () => (history.state as { readonly key?: string } | null)?.key ?? 'default';

/**
 * Names an entry of the history by its location's key. The first entry of every document has the
 * same key, so it is named by the document.
 */
const nameEntry = (key: string) => (key === 'default' ? String(performance.timeOrigin) : key);

/**
 * Gives the entry that a plain link to a part of the page has made a key, as the router gives those it makes. Without
 * one it would have the name of the document's first entry, and be left at the same place.
 */
function nameNewEntry(): void {
  history.replaceState({ key: String(performance.timeOrigin + performance.now()) }, '');
}

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
    seenEntry.current = nameEntry(location.key);
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
      if (seenEntry.current === undefined) return;
      // Deleted first, so that the entries last seen are the last of the map.
      positions.current?.delete(seenEntry.current);
      positions.current?.set(seenEntry.current, Math.round(window.scrollY));
    };
    const handleScroll = () => {
      if (!isMovingToPart.current) recordPosition();
    };
    const handlePopState = () => {
      // The event of the last movement may still be to come.
      recordPosition();
      if (history.state !== null) return;
      nameNewEntry();
      // At once: the next link may be followed before React has shown this entry.
      seenEntry.current = readCurrentKey();
      isMovingToPart.current = true;
    };
    const handlePageHide = () => {
      history.scrollRestoration = 'auto';
      if (positions.current) storePositions(positions.current);
    };
    disableBrowserRestoration();
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

  return (key) => (key === readCurrentKey() ? positions.current?.get(nameEntry(key)) : undefined);
}
