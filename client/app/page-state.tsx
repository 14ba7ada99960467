import { createContext, useContext, useState } from 'react';
import { useLocation } from 'react-router-dom';
import type { PageState } from '../../shared/rendering.ts';
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

/** Whether the server answered that the path now shown has no page. */
export function useIsNotFound(): boolean {
  const { pathname } = useLocation();
  const [documentPathname] = useState(pathname);

  return usePageState().isNotFound && pathname === documentPathname;
}
