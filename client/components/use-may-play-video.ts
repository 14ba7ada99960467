import { useSyncExternalStore } from 'react';
import { BEYOND_MOBILE } from './screen-width.ts';

const query = `${BEYOND_MOBILE} and (prefers-reduced-motion: no-preference)`;

/** The part of the Network Information API that is used; not every browser has it. */
interface NavigatorWithConnection extends Navigator {
  readonly connection?: { readonly saveData?: boolean };
}

function mayPlayVideo(): boolean {
  const { connection }: NavigatorWithConnection = navigator;

  return matchMedia(query).matches && connection?.saveData !== true;
}

function subscribe(onChange: () => void): () => void {
  const list = matchMedia(query);
  list.addEventListener('change', onChange);

  return () => list.removeEventListener('change', onChange);
}

/**
 * Whether this screen, these wishes and this connection allow a video: wider than the mobile
 * breakpoint, no reduced motion, no Save-Data. False until the page is live.
 */
export function useMayPlayVideo(): boolean {
  return useSyncExternalStore(subscribe, mayPlayVideo, () => false);
}
