import { apiPaths } from '../../../shared/paths.ts';
import type { InsightsState } from '../../../shared/page-state.ts';
import { Second } from '../../../shared/time.ts';
import { getProperty, parseDetail, parseJson } from '../forms/post-form.ts';

/** Longer than the longest delay the server puts before the check of a password. */
const TIMEOUT = 30 * Second;

const NO_RESPONSE = 'No answer came. Please check your connection and try again.';

/** A call's result; `detail` is a sentence for the visitor. */
export type CallResult<Value> =
  | { readonly kind: 'done'; readonly value: Value }
  /** The server refused: not with this password, or not now. */
  | { readonly kind: 'refused'; readonly status: number; readonly detail: string }
  | { readonly kind: 'no-response'; readonly detail: string };

/** Sends the request. Never rejects. @param parse throws where the body is not ours */
async function call<Value>(
  path: string,
  request: RequestInit,
  parse: (body: unknown) => Value,
): Promise<CallResult<Value>> {
  try {
    const response = await fetch(path, { ...request, signal: AbortSignal.timeout(TIMEOUT) });
    const { ok, status } = response;
    const body = parseJson(await response.text());

    return ok ? { kind: 'done', value: parse(body) } : { kind: 'refused', status, detail: parseDetail(status, body) };
  } catch {
    // No response, or one that is not ours: a proxy's or a Wi-Fi portal's page.
    return { kind: 'no-response', detail: NO_RESPONSE };
  }
}

function parseListing(body: unknown): InsightsState {
  if (!Array.isArray(getProperty(body, 'articles'))) throw new Error('This is not the listing.');

  return body as InsightsState;
}

/** Fetches the listing; refused with 401 while it is locked. */
export function fetchListing(): Promise<CallResult<InsightsState>> {
  return call(apiPaths.insightsArticles, {}, parseListing);
}

/** Opens the session, if the password is right. */
export function sendPassword(password: string): Promise<CallResult<void>> {
  return call(
    apiPaths.insightsSession,
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ password }),
    },
    () => undefined,
  );
}

/** Locks the listing again for this browser. */
export function endSession(): Promise<CallResult<void>> {
  return call(apiPaths.insightsSession, { method: 'DELETE' }, () => undefined);
}

/** Key and value are the specification's (section 9). */
export const UNLOCK_FLAG_KEY = 'insights_authenticated';
const FLAG_VALUE = 'true';

/** Whether this browser has unlocked the insights. Only the server's cookie opens anything. */
export function hasUnlockFlag(): boolean {
  try {
    return localStorage.getItem(UNLOCK_FLAG_KEY) === FLAG_VALUE;
  } catch {
    // Storage is forbidden: the cookie alone decides.
    return false;
  }
}

/** Sets the flag to the state the server responded with. */
export function setUnlockFlag(isUnlocked: boolean): void {
  try {
    if (isUnlocked) localStorage.setItem(UNLOCK_FLAG_KEY, FLAG_VALUE);
    else localStorage.removeItem(UNLOCK_FLAG_KEY);
  } catch {
    // Forbidden or full: then other tabs aren't notified, nothing else is lost.
  }
}

/**
 * Calls back when another tab has unlocked or locked, or may have: a page in the browser's memory is not told.
 * Returns the function that stops it.
 */
export function subscribeToUnlockFlag(onChange: () => void): () => void {
  const handle = ({ key }: StorageEvent) => {
    // No key: the whole storage was cleared.
    if (key === UNLOCK_FLAG_KEY || key === null) onChange();
  };
  const handlePageShow = ({ persisted }: PageTransitionEvent) => {
    if (persisted) onChange();
  };
  window.addEventListener('storage', handle);
  window.addEventListener('pageshow', handlePageShow);

  return () => {
    window.removeEventListener('storage', handle);
    window.removeEventListener('pageshow', handlePageShow);
  };
}
