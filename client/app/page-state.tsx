import { createContext, useContext, useSyncExternalStore } from 'react';
import type { PageState } from '../../shared/page-state.ts';
import type { Site } from '../../shared/site.ts';

const PageStateContext = createContext<PageState | undefined>(undefined);

export const PageStateProvider = PageStateContext.Provider;

/** Returns the state the server rendered this page with. */
export function usePageState(): PageState {
  const state = useContext(PageStateContext);
  if (!state) throw new Error('usePageState needs a PageStateProvider above it.');

  return state;
}

/** Returns the site's public settings: name, legal entity, addresses. */
export function useSite(): Site {
  return usePageState().site;
}

const subscribeToNothing = () => () => undefined;

/** Returns whether the page is hydrated. Always false on the server. */
export function useIsHydrated(): boolean {
  return useSyncExternalStore(
    subscribeToNothing,
    () => true,
    () => false,
  );
}
