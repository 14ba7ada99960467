import { useEffect } from 'react';
import { tryStorage } from '../../app/storage.ts';

/** Local storage key and value from the specification, sections 4 and 9. */
export const UNLOCK_FLAG_KEY = 'insights_authenticated';
const FLAG_VALUE = 'true';

const hasUnlockFlag = () => tryStorage(() => localStorage.getItem(UNLOCK_FLAG_KEY)) === FLAG_VALUE;

/** Stores the flag. Without storage, other tabs don't lock or unlock along with this one. */
const setUnlockFlag = (isUnlocked: boolean) =>
  tryStorage(() =>
    isUnlocked ? localStorage.setItem(UNLOCK_FLAG_KEY, FLAG_VALUE) : localStorage.removeItem(UNLOCK_FLAG_KEY),
  );

/**
 * Sets the browser's flag to match the page. Reloads the page when another tab locks or unlocks the listing. The flag
 * grants no access; only the server's cookie does.
 */
export function useUnlockFlag(isUnlocked: boolean): void {
  useEffect(() => {
    setUnlockFlag(isUnlocked);
    const reloadIfChanged = () => {
      // `reload()` could resubmit a form.
      if (hasUnlockFlag() !== isUnlocked) location.replace(location.pathname + location.search);
    };
    const handleStorage = ({ key }: StorageEvent) => {
      // A null key means the storage was cleared.
      if (key === UNLOCK_FLAG_KEY || key === null) reloadIfChanged();
    };
    // A page in the back/forward cache misses other tabs' events.
    const handlePageShow = ({ persisted }: PageTransitionEvent) => {
      if (persisted) reloadIfChanged();
    };
    window.addEventListener('storage', handleStorage);
    window.addEventListener('pageshow', handlePageShow);

    return () => {
      window.removeEventListener('storage', handleStorage);
      window.removeEventListener('pageshow', handlePageShow);
    };
  }, [isUnlocked]);
}
