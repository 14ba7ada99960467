import { useRef, useState, type SubmitEvent } from 'react';
import { flushSync } from 'react-dom';
import { useSearchParams } from 'react-router-dom';
import { insightsQuery, pathTo, routePatterns } from '../../../shared/paths.ts';
import { Icon } from '../../components/icon.tsx';
import shared from '../../components/shared.module.css';
import { SubmitButton } from '../../components/submit-button.tsx';
import styles from './locked-listing.module.css';
import { PasswordForm } from './password-form.tsx';

/** One per article in the sample content. */
const skeletons = Array.from({ length: 9 }, (_, index) => index);

/** Blurred placeholder cards. They contain no article data. */
function ArticleSkeletons() {
  return (
    <div className={`${styles.skeletons} ${shared.notPrinted}`} inert aria-hidden="true">
      {skeletons.map((index) => (
        <div key={index} className={styles.skeleton}>
          <div className={styles.picture} />
          <div className={styles.line} />
          <div className={styles.line} />
          <div className={styles.line} />
        </div>
      ))}
    </div>
  );
}

/** A button that opens the password form in place. Without scripts, it loads the page with the form open. */
function AccessButton({ onOpen }: { onOpen: () => void }) {
  const handleSubmit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    onOpen();
  };

  return (
    <form action={routePatterns.insights} onSubmit={handleSubmit}>
      <input type="hidden" name={insightsQuery.unlock} value="1" />
      <SubmitButton>Access Premium Content</SubmitButton>
    </form>
  );
}

interface LockedListingProps {
  /** The last attempt's error message, if any. */
  readonly initialError: string | undefined;
}

/** The gate: blurred placeholders and the password form. */
export function LockedListing({ initialError }: LockedListingProps) {
  const [query] = useSearchParams();
  const [isOpened, setIsOpened] = useState(query.get(insightsQuery.unlock) === '1' || initialError !== undefined);
  const fieldRef = useRef<HTMLInputElement>(null);
  const openForm = () => {
    flushSync(() => setIsOpened(true));
    fieldRef.current?.focus();
  };

  return (
    <div className={styles.stage}>
      <ArticleSkeletons />
      <div className={styles.overlay}>
        <Icon className={styles.icon} name="lock" />
        <h2 className={shared.subtitle}>Premium Insights</h2>
        <p className={styles.text}>
          This listing is for readers who have the password. Enter it once, and this browser
          keeps it open for 30 days.
        </p>
        {isOpened ? (
          <PasswordForm fieldRef={fieldRef} initialError={initialError} />
        ) : (
          <AccessButton onOpen={openForm} />
        )}
        <p className={shared.note}>
          No password yet? <a href={pathTo.contact()}>Ask for it with your free assessment</a>.
        </p>
      </div>
    </div>
  );
}
