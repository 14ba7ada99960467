import { createContext, useContext, useSyncExternalStore } from 'react';
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

/** The public settings: name, legal entity, addresses. */
export function useSite(): Site {
  return usePageState().site;
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
