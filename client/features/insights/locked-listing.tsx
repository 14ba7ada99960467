import { useRef, useState, type SubmitEvent } from 'react';
import { flushSync } from 'react-dom';
import { useSearchParams } from 'react-router-dom';
import { insightsQuery, pathTo, routePatterns } from '../../../shared/paths.ts';
import { Icon } from '../../components/icon.tsx';
import { Link } from '../../components/link.tsx';
import { SubmitButton } from '../../components/submit-button.tsx';
import styles from './locked-listing.module.css';
import { PasswordForm } from './password-form.tsx';

/** As many as the listing has. */
const skeletons = Array.from({ length: 9 }, (_, index) => index);

/** Shapes of cards without a word of the listing: there is nothing to read under the blur. */
function ArticleSkeletons() {
  return (
    <div className={styles.skeletons} inert aria-hidden="true">
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

/** Opens the form in place; without scripts by the page with the form open. */
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
  /** The server has not responded yet. */
  readonly isLoading: boolean;
  readonly error: string | undefined;
  readonly onSubmit: (password: string) => Promise<boolean>;
}

/** The gate: skeletons of the listing, blurred, and over them the way in. */
export function LockedListing({ isLoading, error, onSubmit }: LockedListingProps) {
  const [query] = useSearchParams();
  const [isOpened, setIsOpened] = useState(query.get(insightsQuery.unlock) === '1');
  const fieldRef = useRef<HTMLInputElement>(null);
  const openForm = () => {
    flushSync(() => setIsOpened(true));
    fieldRef.current?.focus();
  };
  // The form shows the error.
  const isFormOpen = isOpened || error !== undefined;

  return (
    <div className={styles.stage} aria-busy={isLoading}>
      <ArticleSkeletons />
      {!isLoading && (
        <div className={styles.overlay}>
          <Icon className={styles.icon} name="lock" />
          <h2 className={styles.heading}>Premium Insights</h2>
          <p className={styles.text}>
            This listing is for readers we have given the password. Enter it once, and this browser
            keeps it open for 30 days.
          </p>
          {isFormOpen ? (
            <PasswordForm fieldRef={fieldRef} error={error} onSubmit={onSubmit} />
          ) : (
            <AccessButton onOpen={openForm} />
          )}
          <p className={styles.request}>
            No password yet? <Link to={pathTo.contact()}>Ask for it with your free assessment</Link>.
          </p>
        </div>
      )}
    </div>
  );
}
