import { useState, type SubmitEvent } from 'react';
import { useSearchParams } from 'react-router-dom';
import { insightsQuery, routePatterns } from '../../../shared/paths.ts';
import { Icon } from '../../components/icon.tsx';
import { SubmitButton } from '../../components/submit-button.tsx';
import { ArticleDecoys } from './article-decoys.tsx';
import styles from './locked-listing.module.css';
import { PasswordForm } from './password-form.tsx';

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
  /** The server has not said yet whether the listing is locked. */
  readonly isAsking: boolean;
  readonly error: string | undefined;
  readonly onSubmit: (password: string) => Promise<boolean>;
}

/** The gate: what looks like the listing, blurred, and over it the way in. */
export function LockedListing({ isAsking, error, onSubmit }: LockedListingProps) {
  const [query] = useSearchParams();
  const [isOpened, setIsOpened] = useState(query.get(insightsQuery.unlock) === '1');
  // What went wrong is told in the form.
  const isFormOpen = isOpened || error !== undefined;

  return (
    <div className={styles.stage} aria-busy={isAsking}>
      <ArticleDecoys />
      {!isAsking && (
        <div className={styles.overlay}>
          <Icon className={styles.icon} name="lock" />
          <h2 className={styles.heading}>Premium Insights</h2>
          <p className={styles.text}>
            This listing is for readers we have given the password. Enter it once, and this browser
            keeps it open for 30 days.
          </p>
          {isFormOpen ? (
            <PasswordForm error={error} onSubmit={onSubmit} />
          ) : (
            <AccessButton onOpen={() => setIsOpened(true)} />
          )}
        </div>
      )}
    </div>
  );
}
