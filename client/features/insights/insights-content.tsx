import { insightsQuery } from '../../../shared/paths.ts';
import { usePageState } from '../../app/page-state.tsx';
import { useOnceParameter } from '../../app/use-once-parameter.ts';
import { hydrateNow, hydrateIfStored } from '../../app/hydration-triggers.ts';
import { ArticleListing } from './article-listing.tsx';
import { LockedListing } from './locked-listing.tsx';
import { UNLOCK_FLAG_KEY, useUnlockFlag } from './unlock-flag.ts';
import styles from './insights-content.module.css';

const NO_COOKIE =
  'The password was correct, but this browser didn’t keep the cookie. Please allow cookies for this site.';

/** The article listing or, while it is locked, the password gate. */
export function InsightsContent() {
  const { insights } = usePageState();
  if (!insights) throw new Error('The page state has no insights.');
  const { isGated, articles, gateError } = insights;
  const wasUnlocked = useOnceParameter(insightsQuery.unlocked);
  const isUnlocked = isGated && articles !== undefined;
  useUnlockFlag(isUnlocked);

  return (
    <section
      className={styles.content}
      aria-label="Articles"
      {...(isUnlocked ? hydrateNow : hydrateIfStored(UNLOCK_FLAG_KEY))}
    >
      {articles ? (
        <ArticleListing articles={articles} isGated={isGated} />
      ) : (
        <LockedListing initialError={gateError ?? (wasUnlocked ? NO_COOKIE : undefined)} />
      )}
    </section>
  );
}
