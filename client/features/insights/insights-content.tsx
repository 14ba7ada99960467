import { useRef } from 'react';
import { ArticleListing } from './article-listing.tsx';
import { LockedListing } from './locked-listing.tsx';
import { useInsightsAccess } from './use-insights-access.ts';
import styles from './insights-content.module.css';

/** The listing behind its gate, locked or open. */
export function InsightsContent() {
  const { access, unlock, lock } = useInsightsAccess();
  const regionRef = useRef<HTMLElement>(null);
  /** The focused element is gone: the focus moves to what has replaced it. */
  const moveFocus = (hasChanged: boolean) => {
    if (hasChanged) {
      regionRef.current?.scrollIntoView({ behavior: 'instant' });
      regionRef.current?.focus({ preventScroll: true });
    }

    return hasChanged;
  };

  return (
    <section ref={regionRef} className={styles.content} aria-label="Articles" tabIndex={-1}>
      {access.kind === 'open' ? (
        <ArticleListing
          articles={access.articles}
          error={access.error}
          onLock={access.isGated ? () => void lock().then(moveFocus) : undefined}
        />
      ) : (
        <LockedListing
          isLoading={access.kind === 'loading'}
          error={access.kind === 'locked' ? access.error : undefined}
          onSubmit={(password) => unlock(password).then(moveFocus)}
        />
      )}
    </section>
  );
}
