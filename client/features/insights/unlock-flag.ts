/** Key and value are the specification's (section 9). */
const KEY = 'insights_authenticated';
const VALUE = 'true';

/** Whether this browser has unlocked the insights. Only the server's cookie opens anything. */
export function hasUnlockFlag(): boolean {
  try {
    return localStorage.getItem(KEY) === VALUE;
  } catch {
    // Storage is forbidden: the cookie alone decides.
    return false;
  }
}

/** Makes the flag say what the server has said. */
export function setUnlockFlag(isUnlocked: boolean): void {
  try {
    if (isUnlocked) localStorage.setItem(KEY, VALUE);
    else localStorage.removeItem(KEY);
  } catch {
    // Forbidden or full: then other tabs don't hear of it, nothing else is lost.
  }
}

/** Calls back when another tab has unlocked or locked; returns what ends that. */
export function watchUnlockFlag(onChange: () => void): () => void {
  const handle = ({ key }: StorageEvent) => {
    // No key: the whole storage was cleared.
    if (key === KEY || key === null) onChange();
  };
  window.addEventListener('storage', handle);

  return () => window.removeEventListener('storage', handle);
}
