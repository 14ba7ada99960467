import { useEffect, useSyncExternalStore } from 'react';
import type { FollowUpState } from '../../../shared/page-state.ts';
import { tryStorage } from '../../app/storage.ts';

/** Key in local storage of the reader's address in sales. */
export const READER_KEY = 'sales_reader';

const subscribeToNothing = () => () => undefined;
const readReader = () => tryStorage(() => localStorage.getItem(READER_KEY)) ?? null;

/** Returns the address stored in this browser. Null if there is none, on the server, and if storage is blocked. */
export const useRememberedReader = (): string | null =>
  useSyncExternalStore(subscribeToNothing, readReader, () => null);

/** Stores the reader for the next page. The current page doesn't change. @param address null forgets the reader */
export function rememberReader(address: string | null): void {
  tryStorage(() => (address === null ? localStorage.removeItem(READER_KEY) : localStorage.setItem(READER_KEY, address)));
}

/** Returns the page's reader as stored in this browser, otherwise from the link, which may have been forwarded. */
export function useReader({ reader, errors }: Pick<FollowUpState, 'reader' | 'errors'>): string | null {
  const remembered = useRememberedReader();
  const isRefused = errors['reader'] !== undefined;
  useEffect(() => {
    if (isRefused) rememberReader(null);
  }, [isRefused]);

  return (isRefused ? null : remembered) ?? reader;
}
