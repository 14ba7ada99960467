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

function readAnswer(answer: CallResult<InsightsState>): InsightsAccess {
  if (answer.kind === 'done') return toAccess(answer.value);

  return { kind: 'locked', error: answer.kind === 'unanswered' ? answer.detail : undefined };
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

  const ask = async (): Promise<InsightsAccess> => {
    const answer = await fetchListing();
    const next = readAnswer(answer);
    const isKnown = answer.kind === 'done' || answer.kind === 'refused';
    if (isKnown) setUnlockFlag(next.kind === 'open' && next.isGated);

    return next;
  };
  const refresh = useEffectEvent(() => void ask().then(setAccess));

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
      const answer = await sendPassword(password);
      const next: InsightsAccess =
        answer.kind === 'done' ? await ask() : { kind: 'locked', error: answer.detail };
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
