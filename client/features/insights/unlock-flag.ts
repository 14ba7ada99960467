import { useEffect } from 'react';
import { tryStorage } from '../../app/storage.ts';

/** Key and value are the specification's (section 9). */
export const UNLOCK_FLAG_KEY = 'insights_authenticated';
const FLAG_VALUE = 'true';

const hasUnlockFlag = () => tryStorage(() => localStorage.getItem(UNLOCK_FLAG_KEY)) === FLAG_VALUE;

/** Without a storage other tabs don't follow, and nothing else is lost. */
const setUnlockFlag = (isUnlocked: boolean) =>
  tryStorage(() =>
    isUnlocked ? localStorage.setItem(UNLOCK_FLAG_KEY, FLAG_VALUE) : localStorage.removeItem(UNLOCK_FLAG_KEY),
  );

/**
 * Sets the browser's flag to the state the server sent the page in, and loads the page again when another tab unlocks
 * or locks. Only the server's cookie opens anything.
 */
export function useUnlockFlag(isUnlocked: boolean): void {
  useEffect(() => {
    setUnlockFlag(isUnlocked);
    const followFlag = () => {
      // Not `reload()`, which would send a form again whose response this page is.
      if (hasUnlockFlag() !== isUnlocked) location.replace(location.pathname + location.search);
    };
    const followTab = ({ key }: StorageEvent) => {
      // No key: the whole storage was cleared.
      if (key === UNLOCK_FLAG_KEY || key === null) followFlag();
    };
    // A page in the browser's memory gets no events of other tabs.
    const followMissed = ({ persisted }: PageTransitionEvent) => {
      if (persisted) followFlag();
    };
    window.addEventListener('storage', followTab);
    window.addEventListener('pageshow', followMissed);

    return () => {
      window.removeEventListener('storage', followTab);
      window.removeEventListener('pageshow', followMissed);
    };
  }, [isUnlocked]);
}
