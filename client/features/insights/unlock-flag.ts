import { useEffect } from 'react';
import { tryStorage } from '../../app/storage.ts';

/** Key and value from the specification, section 9. */
export const UNLOCK_FLAG_KEY = 'insights_authenticated';
const FLAG_VALUE = 'true';

const hasUnlockFlag = () => tryStorage(() => localStorage.getItem(UNLOCK_FLAG_KEY)) === FLAG_VALUE;

/** Without storage, other tabs just don't follow. */
const setUnlockFlag = (isUnlocked: boolean) =>
  tryStorage(() =>
    isUnlocked ? localStorage.setItem(UNLOCK_FLAG_KEY, FLAG_VALUE) : localStorage.removeItem(UNLOCK_FLAG_KEY),
  );

/**
 * Sets the browser's flag to the page's state. Reloads the page when another tab locks or unlocks. The flag grants no
 * access; only the server's cookie does.
 */
export function useUnlockFlag(isUnlocked: boolean): void {
  useEffect(() => {
    setUnlockFlag(isUnlocked);
    const followFlag = () => {
      // `reload()` could submit a form again.
      if (hasUnlockFlag() !== isUnlocked) location.replace(location.pathname + location.search);
    };
    const followTab = ({ key }: StorageEvent) => {
      // A null key means the storage was cleared.
      if (key === UNLOCK_FLAG_KEY || key === null) followFlag();
    };
    // A page in the back/forward cache misses other tabs' events.
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
