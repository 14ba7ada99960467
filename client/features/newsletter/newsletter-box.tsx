import { useEffect } from 'react';
import { Link, useSearchParams } from 'react-router-dom';
import { newsletterMessages } from '../../../shared/newsletter/newsletter-messages.ts';
import { insightsQuery, routePatterns } from '../../../shared/paths.ts';
import type { NewsletterFormResult } from '../../../shared/rendering.ts';
import { useFirstShowing, usePageState } from '../../app/page-state.tsx';
import { Banner } from '../../components/banner.tsx';
import { Field } from '../../components/field.tsx';
import { Section } from '../../components/section.tsx';
import { SubmitButton } from '../../components/submit-button.tsx';
import styles from './newsletter-box.module.css';
import { useNewsletterForm, type NewsletterFormState } from './use-newsletter-form.ts';

/**
 * Whether a plain post was accepted and led here. The parameter is taken out of the address, which
 * would show the success again on reload or from a bookmark.
 */
function useIsSubscribed(): boolean {
  const [query, setQuery] = useSearchParams();
  const isSubscribed = query.get(insightsQuery.subscribed) === '1';

  useEffect(() => {
    if (!isSubscribed) return;
    setQuery(
      (current) => {
        current.delete(insightsQuery.subscribed);

        return current;
      },
      { replace: true, preventScrollReset: true },
    );
  }, [isSubscribed, setQuery]);

  return isSubscribed;
}

function getInitialBanner(
  result: NewsletterFormResult | undefined,
  isSubscribed: boolean,
): NewsletterFormState['banner'] {
  if (result?.banner) return { tone: 'error', text: result.banner };

  return isSubscribed ? { tone: 'success', text: newsletterMessages.success } : undefined;
}

function NewsletterForm() {
  const result = useFirstShowing(usePageState().newsletterFormResult);
  const isSubscribed = useIsSubscribed();
  const { state, inputRef, bannerRef, handleSubmit, handleChange } = useNewsletterForm({
    error: result?.error,
    banner: getInitialBanner(result, isSubscribed),
  });
  const { banner, error, isSubmitting } = state;

  return (
    <form
      className={styles.form}
      method="post"
      action={routePatterns.newsletter}
      aria-busy={isSubmitting}
      onSubmit={handleSubmit}
      onChange={handleChange}
    >
      {banner && (
        <Banner ref={bannerRef} tone={banner.tone}>
          {banner.text}
        </Banner>
      )}
      <fieldset className={styles.fieldset} disabled={isSubmitting}>
        <Field id="newsletter-email" label="Email address" error={error}>
          {(control) => (
            <input
              {...control}
              ref={inputRef}
              type="email"
              name="email"
              // Not marked as such: it is the only field.
              required
              autoComplete="email"
              defaultValue={result?.email}
              // For pages without JavaScript; hydration must not take the focus from elsewhere.
              autoFocus={import.meta.env.SSR && result?.error !== undefined}
              suppressHydrationWarning
            />
          )}
        </Field>
        <SubmitButton>{isSubmitting ? newsletterMessages.submitting : 'Subscribe'}</SubmitButton>
      </fieldset>
      <p className={styles.note}>
        How we handle your address: <Link to={routePatterns.privacyPolicy}>Privacy Policy</Link>.
      </p>
    </form>
  );
}

/** The newsletter box: works as a plain post, and by a call with messages in place once hydrated. */
export function NewsletterBox() {
  return (
    <Section
      id="newsletter"
      heading="New articles by email"
      lead="We write when there is something new to read. You confirm your address first, and can unsubscribe at any time."
      tone="white"
      layout="split"
    >
      <NewsletterForm />
    </Section>
  );
}
