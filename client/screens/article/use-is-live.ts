import { useSyncExternalStore } from 'react';

const subscribe = () => () => undefined;

/** Whether scripts run; not so in the document, nor in the first rendering that has to match it. */
export function useIsLive(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => true,
    () => false,
  );
}
