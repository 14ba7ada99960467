import { useEffect, useEffectEvent, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Article } from '../../../shared/content/article.ts';
import type { InsightsState } from '../../../shared/rendering.ts';
import { useFirstShowing, usePageState } from '../../app/page-state.tsx';
import { endSession, fetchListing, sendPassword, type CallResult } from './insights-calls.ts';
import { hasUnlockFlag, setUnlockFlag, watchUnlockFlag } from './unlock-flag.ts';

/** What a visitor may see of the insights. */
export type InsightsAccess =
  /** The server has been asked and not answered yet. */
  | { readonly kind: 'asking' }
  | { readonly kind: 'locked'; readonly error?: string | undefined }
  | {
      readonly kind: 'open';
      /** Whether there is a gate that can be closed again. */
      readonly isGated: boolean;
      readonly articles: readonly Article[];
      readonly error?: string;
    };

function toAccess({ isGated, articles, gateError }: InsightsState): InsightsAccess {
  return articles ? { kind: 'open', isGated, articles } : { kind: 'locked', error: gateError };
}

const NO_COOKIE =
  'The password was right, but this browser didn’t keep the cookie. Please allow cookies for this site.';

const isLocked = (answer: CallResult<InsightsState>) =>
  answer.kind === 'refused' && answer.status === 401;

/** Only the server's own word opens or locks; without it an open listing stays as it is. */
function readResponse(answer: CallResult<InsightsState>, current: InsightsAccess): InsightsAccess {
  if (answer.kind === 'done') return toAccess(answer.value);
  if (isLocked(answer)) return { kind: 'locked' };

  return current.kind === 'open' ? current : { kind: 'locked', error: answer.detail };
}

/**
 * The gate as the visitor meets it. The server decides: the first page brings its answer, a page
 * navigated to asks for it, and the flag in the browser's storage follows it.
 */
export function useInsightsAccess() {
  const served = useFirstShowing(usePageState().insights);
  const [access, setAccess] = useState<InsightsAccess>(
    served ? toAccess(served) : { kind: 'asking' },
  );

  const ask = async (): Promise<CallResult<InsightsState>> => {
    const answer = await fetchListing();
    if (answer.kind === 'done') setUnlockFlag(answer.value.isGated);
    else if (isLocked(answer)) setUnlockFlag(false);

    return answer;
  };
  const refresh = useEffectEvent(() => {
    void ask().then((answer) => setAccess((current) => readResponse(answer, current)));
  });

  const start = useEffectEvent(() => {
    if (access.kind === 'open') setUnlockFlag(access.isGated);
    else if (access.kind === 'asking' || hasUnlockFlag()) refresh();
  });
  useEffect(() => {
    start();

    return watchUnlockFlag(refresh);
  }, []);

  return {
    access,
    /** Resolves to whether the listing is open now. */
    unlock: async (password: string): Promise<boolean> => {
      const sent = await sendPassword(password);
      const answer = sent.kind === 'done' ? await ask() : sent;
      const isRefusedNow = sent.kind === 'done' && answer.kind === 'refused' && answer.status === 401;
      const next: InsightsAccess =
        answer.kind === 'done'
          ? toAccess(answer.value)
          : { kind: 'locked', error: isRefusedNow ? NO_COOKIE : answer.detail };
      flushSync(() => setAccess(next));

      return next.kind === 'open';
    },
    /** Resolves to whether the listing is locked now. */
    lock: async (): Promise<boolean> => {
      const answer = await endSession();
      if (answer.kind === 'done') setUnlockFlag(false);
      flushSync(() => {
        setAccess((current) => {
          if (answer.kind === 'done') return { kind: 'locked' };

          return current.kind === 'open' ? { ...current, error: answer.detail } : current;
        });
      });

      return answer.kind === 'done';
    },
  };
}
