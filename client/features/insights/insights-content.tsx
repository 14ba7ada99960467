import { useRef } from 'react';
import { wakeNow, wakeWhenStored } from '../../app/wake-conditions.ts';
import { Banner } from '../../components/banner.tsx';
import buttonStyles from '../../components/button.module.css';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { ArticleListing } from './article-listing.tsx';
import { UNLOCK_FLAG_KEY } from './insights-session.ts';
import { LockedListing } from './locked-listing.tsx';
import { useInsightsAccess } from './use-insights-access.ts';
import styles from './insights-content.module.css';

const { button, regular, outline } = buttonStyles;

interface FailedListingProps {
  readonly error: string;
  readonly onRetry: () => void;
}

/** What stands in the listing's place while the server can't be asked for it. */
function FailedListing({ error, onRetry }: FailedListingProps) {
  return (
    <div className={styles.failed}>
      <Banner tone="error">{error}</Banner>
      <button className={`${button} ${regular} ${outline}`} type="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

/** The listing behind its gate, locked or open. */
export function InsightsContent() {
  const { access, retry, unlock, lock } = useInsightsAccess();
  // An open listing sets the flag, and a flag has its listing asked for.
  const wake = access.kind === 'open' && access.isGated ? wakeNow : wakeWhenStored(UNLOCK_FLAG_KEY);
  const regionRef = useRef<HTMLElement>(null);
  /** The focused element is gone: the focus moves to what has replaced it. */
  const moveFocus = (hasChanged: boolean) => {
    if (hasChanged) {
      regionRef.current?.scrollIntoView({ behavior: 'instant' });
      regionRef.current?.focus({ preventScroll: true });
    }

    return hasChanged;
  };

  const handleRetry = () => {
    retry();
    moveFocus(true);
  };

  return (
    <>
      <section ref={regionRef} className={styles.content} aria-label="Articles" tabIndex={-1} {...wake}>
        {access.kind === 'open' && (
          <ArticleListing
            articles={access.articles}
            error={access.error}
            onLock={access.isGated ? () => void lock().then(moveFocus) : undefined}
          />
        )}
        {access.kind === 'failed' && <FailedListing error={access.error} onRetry={handleRetry} />}
        {(access.kind === 'loading' || access.kind === 'locked') && (
          <LockedListing
            isLoading={access.kind === 'loading'}
            error={access.kind === 'locked' ? access.error : undefined}
            onSubmit={(password) => unlock(password).then(moveFocus)}
          />
        )}
      </section>
      <VisuallyHidden role="status">{access.kind === 'loading' && 'Loading the articles…'}</VisuallyHidden>
    </>
  );
}
