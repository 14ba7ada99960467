const STORAGE_KEY = 'scroll-positions';
/** Entries of the history whose position is stored; older ones are dropped. */
const MAX_ENTRIES = 50;

/** What the router and we keep in an entry of the history. */
const readState = () => history.state as { readonly key?: string } | null;

/** The key of the entry shown, as the router reads it; undefined where neither it nor we have given one. */
export const readCurrentKey = () => readState()?.key;

/**
 * Gives the entry a key, as the router gives those it makes, unless it has one: the first of a document, and what a plain
 * link to a part of the page has made. Without one they would all have the router's name for a first entry.
 */
export function nameCurrentEntry(): void {
  if (readCurrentKey() !== undefined) return;
  history.replaceState({ ...readState(), key: String(performance.timeOrigin + performance.now()) }, '');
}

/** Where the entries of the tab's history were left, in pixels by their keys, those last seen at the end. */
export function readPositions(): Map<string, number> {
  try {
    return new Map(JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? '[]') as [string, number][]);
  } catch {
    // No storage, or not ours: then pages start at their top.
    return new Map();
  }
}

export function storePositions(positions: ReadonlyMap<string, number>): void {
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify([...positions].slice(-MAX_ENTRIES)));
  } catch {
    // Full or forbidden: going back after a reload starts at the top, nothing else is lost.
  }
}

/** Notes where the page is for an entry that it shows, or has just left. */
export function notePosition(positions: Map<string, number>, key: string): void {
  // Deleted first, so that the entries last seen are the last of the map.
  positions.delete(key);
  positions.set(key, Math.round(scrollY));
}
