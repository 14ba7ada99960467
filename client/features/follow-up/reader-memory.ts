import { useEffect, useSyncExternalStore } from 'react';
import type { FollowUpState } from '../../../shared/page-state.ts';
import { tryStorage } from '../../app/storage.ts';

/** Local storage key of the reader's email address. */
export const READER_KEY = 'sales_reader';

const subscribeToNothing = () => () => undefined;
const readReader = () => tryStorage(() => localStorage.getItem(READER_KEY)) ?? null;

/** Returns the address stored in this browser. Null if there is none, if storage is blocked, and on the server. */
export const useRememberedReader = (): string | null =>
  useSyncExternalStore(subscribeToNothing, readReader, () => null);

/** Stores the reader for the next page. The current page doesn't change. @param address null to remove the reader */
export function rememberReader(address: string | null): void {
  tryStorage(() => (address === null ? localStorage.removeItem(READER_KEY) : localStorage.setItem(READER_KEY, address)));
}

/** Returns the reader's address from this browser, otherwise from the link, which may have been forwarded. */
export function useReader({ reader, errors }: Pick<FollowUpState, 'reader' | 'errors'>): string | null {
  const remembered = useRememberedReader();
  const isRefused = errors['reader'] !== undefined;
  useEffect(() => {
    if (isRefused) rememberReader(null);
  }, [isRefused]);

  return (isRefused ? null : remembered) ?? reader;
}
