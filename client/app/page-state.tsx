import { createContext, useContext, useEffect, useState, useSyncExternalStore } from 'react';
import { useLocation } from 'react-router-dom';
import type { PageState } from '../../shared/page-state.ts';
import type { Site } from '../../shared/site.ts';

const PageStateContext = createContext<PageState | undefined>(undefined);

export const PageStateProvider = PageStateContext.Provider;

/** The state the server rendered this document with. */
export function usePageState(): PageState {
  const state = useContext(PageStateContext);
  if (!state) throw new Error('usePageState needs a PageStateProvider above it.');

  return state;
}

/** Parts of the state that a component has shown. */
const shownParts = new WeakSet<object>();

/**
 * A part of the state for its first view: a visitor who comes back to its page later gets undefined,
 * for by then it is outdated.
 */
export function useFirstView<Part extends object>(given: Part | undefined): Part | undefined {
  const [part] = useState(() => (given && !shownParts.has(given) ? given : undefined));

  useEffect(() => {
    if (part) shownParts.add(part);
  }, [part]);

  return part;
}

/** The public settings: name, legal entity, addresses. */
export function useSite(): Site {
  return usePageState().site;
}

/** Whether the server responded that the path now shown has no page. */
export function useIsNotFound(): boolean {
  const { pathname } = useLocation();
  const [documentPathname] = useState(pathname);

  return usePageState().isNotFound && pathname === documentPathname;
}

const subscribeToNothing = () => () => undefined;

/** Whether scripts run here: false on the server and until the page is hydrated. */
export function useIsHydrated(): boolean {
  return useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  );
}
