import { useEffect, useSyncExternalStore } from 'react';
import type { FollowUpState } from '../../../shared/page-state.ts';
import { tryStorage } from '../../app/storage.ts';

/** Key of the address by which the reader is known in sales. */
export const READER_KEY = 'sales_reader';

const subscribeToNothing = () => () => undefined;
const readReader = () => tryStorage(() => localStorage.getItem(READER_KEY)) ?? null;

/** The address that the reader gave in this browser; null before that, on the server, and where storage is blocked. */
export const useRememberedReader = (): string | null =>
  useSyncExternalStore(subscribeToNothing, readReader, () => null);

/** For the next page: this one doesn't change. @param address null forgets the reader */
export function rememberReader(address: string | null): void {
  tryStorage(() => (address === null ? localStorage.removeItem(READER_KEY) : localStorage.setItem(READER_KEY, address)));
}

/** Who reads the page: this browser says it, or else the link, which somebody may have passed on. */
export function useReader({ reader, errors }: Pick<FollowUpState, 'reader' | 'errors'>): string | null {
  const remembered = useRememberedReader();
  const isRefused = errors['reader'] !== undefined;
  useEffect(() => {
    if (isRefused) rememberReader(null);
  }, [isRefused]);

  return (isRefused ? null : remembered) ?? reader;
}
