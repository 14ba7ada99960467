import { useEffect, useEffectEvent, useState } from 'react';
import { flushSync } from 'react-dom';
import type { ListedArticle } from '../../../shared/content/article.ts';
import type { InsightsState } from '../../../shared/page-state.ts';
import { useFirstView, usePageState } from '../../app/page-state.tsx';
import {
  endSession,
  fetchListing,
  hasUnlockFlag,
  sendPassword,
  setUnlockFlag,
  subscribeToUnlockFlag,
  type CallResult,
} from './insights-session.ts';

/** What a visitor may see of the insights. */
type InsightsAccess =
  /** The server has not responded yet. */
  | { readonly kind: 'loading' }
  | { readonly kind: 'locked'; readonly error?: string | undefined }
  /** Nothing is known of the gate, nor of the listing. */
  | { readonly kind: 'failed'; readonly error: string }
  | {
      readonly kind: 'open';
      /** Whether there is a gate that can be closed again. */
      readonly isGated: boolean;
      readonly articles: readonly ListedArticle[];
      readonly error?: string;
    };

function toAccess({ isGated, articles, gateError }: InsightsState): InsightsAccess {
  return articles ? { kind: 'open', isGated, articles } : { kind: 'locked', error: gateError };
}

const NO_COOKIE =
  'The password was right, but this browser didn’t keep the cookie. Please allow cookies for this site.';

const isLocked = (result: CallResult<InsightsState>) =>
  result.kind === 'refused' && result.status === 401;

/** Only the server's response opens or locks; without one what the visitor has stays. */
function updateAccess(result: CallResult<InsightsState>, current: InsightsAccess): InsightsAccess {
  if (result.kind === 'done') return toAccess(result.value);
  if (isLocked(result)) return { kind: 'locked' };

  return current.kind === 'loading' ? { kind: 'failed', error: result.detail } : current;
}

/**
 * The open listing as the server last sent it: who comes back to it finds the page as high as it was left, and is
 * shown where that was. In the browser only, for the server's modules serve everybody.
 */
let lastOpen: InsightsState | undefined;

/** What a page navigated to begins with until the server responds; another tab that locks takes the flag away. */
function recallAccess(): InsightsAccess {
  return lastOpen && (!lastOpen.isGated || hasUnlockFlag()) ? toAccess(lastOpen) : { kind: 'loading' };
}

/** What the server would respond once it is locked. */
const LOCKED: CallResult<InsightsState> = { kind: 'refused', status: 401, detail: '' };

/** The response to whoever asked last here, or what locking has left; whose page was left meanwhile, too. */
let newest: Promise<CallResult<InsightsState>> = Promise.resolve(LOCKED);

/** Resolves to the state once nothing newer is asked for: a response to what was asked before gives way to it. */
async function awaitNewest(): Promise<CallResult<InsightsState>> {
  const awaited = newest;
  const result = await awaited;

  return newest === awaited ? result : awaitNewest();
}

/** Asks for the listing; the flag follows the response. */
async function loadListing(): Promise<CallResult<InsightsState>> {
  newest = fetchListing();
  const result = await awaitNewest();
  if (result.kind === 'done') setUnlockFlag(result.value.isGated);
  else if (isLocked(result)) setUnlockFlag(false);

  return result;
}

/** Locks, which whatever the server responded before gives way to. */
async function lockListing(): Promise<CallResult<void>> {
  const result = await endSession();
  if (result.kind === 'done') {
    newest = Promise.resolve(LOCKED);
    setUnlockFlag(false);
  }

  return result;
}

/**
 * The gate as the visitor meets it. The server decides: the first page carries its response, a
 * page navigated to fetches it, and the flag in the browser's storage follows it.
 */
export function useInsightsAccess() {
  const served = useFirstView(usePageState().insights);
  const [access, setAccess] = useState<InsightsAccess>(() => (served ? toAccess(served) : recallAccess()));
  useEffect(() => {
    lastOpen = access.kind === 'open' ? { isGated: access.isGated, articles: access.articles } : undefined;
  }, [access]);

  const load = () => {
    void loadListing().then((result) => setAccess((current) => updateAccess(result, current)));
  };
  const refresh = useEffectEvent(load);
  const start = useEffectEvent(() => {
    if (!served) refresh();
    else if (access.kind === 'open') setUnlockFlag(access.isGated);
    else if (hasUnlockFlag()) refresh();
  });
  useEffect(() => {
    start();

    return subscribeToUnlockFlag(refresh);
  }, []);

  return {
    access,
    /** Asks for the listing again; it is loading when this returns. */
    retry: () => {
      flushSync(() => setAccess({ kind: 'loading' }));
      load();
    },
    /** Resolves to whether the listing is open now. */
    unlock: async (password: string): Promise<boolean> => {
      const sent = await sendPassword(password);
      const result = sent.kind === 'done' ? await loadListing() : sent;
      const isRefusedNow = sent.kind === 'done' && isLocked(result);
      const next: InsightsAccess =
        result.kind === 'done'
          ? toAccess(result.value)
          : { kind: 'locked', error: isRefusedNow ? NO_COOKIE : result.detail };
      flushSync(() => setAccess(next));

      return next.kind === 'open';
    },
    /** Resolves to whether the listing is locked now. */
    lock: async (): Promise<boolean> => {
      const result = await lockListing();
      flushSync(() => {
        setAccess((current) => {
          if (result.kind === 'done') return { kind: 'locked' };

          return current.kind === 'open' ? { ...current, error: result.detail } : current;
        });
      });

      return result.kind === 'done';
    },
  };
}
