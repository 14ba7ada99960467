import { useEffect, useRef, useState, type SubmitEvent } from 'react';
import { flushSync } from 'react-dom';
import { newsletterMessages } from '../../../shared/newsletter/newsletter-messages.ts';
import { anchors, apiPaths, insightsQuery, routePatterns } from '../../../shared/paths.ts';
import type { NewsletterFormResult } from '../../../shared/page-state.ts';
import { usePageState } from '../../app/page-state.tsx';
import { useOnceParameter } from '../../app/use-once-parameter.ts';
import { hydrateNow } from '../../app/hydration-triggers.ts';
import { Banner, type BannerTone } from '../../components/banner.tsx';
import { Field } from '../../components/field.tsx';
import { Section } from '../../components/section.tsx';
import { autoFocusOnServer } from '../../components/auto-focus-on-server.ts';
import shared from '../../components/shared.module.css';
import { SubmitButton } from '../../components/submit-button.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { postForm, type FormContract, type FormResult } from '../forms/post-form.ts';
import styles from './newsletter-box.module.css';

interface NewsletterFormState {
  readonly isSubmitting: boolean;
  /** The email field's error. */
  readonly error: string | undefined;
  readonly banner: { readonly tone: BannerTone; readonly text: string } | undefined;
}

const contract: FormContract = {
  fieldNames: ['email'],
  isAccepted: (status) => status === 202,
};

const idle: NewsletterFormState = { isSubmitting: false, error: undefined, banner: undefined };

const fail = (text: string): NewsletterFormState => ({ ...idle, banner: { tone: 'error', text } });

/** Returns the form's state after a submission with this result. */
function describeResult(result: FormResult): NewsletterFormState {
  switch (result.kind) {
    case 'accepted':
      return { ...idle, banner: { tone: 'success', text: newsletterMessages.success } };
    case 'invalid':
      return { ...idle, error: result.errors['email'] };
    case 'refused':
      return fail(result.detail);
    case 'no-response':
      return fail(newsletterMessages.noResponse);
  }
}

/**
 * Returns the form's handlers and its state: idle, submitting, then a banner or field error. Only the server validates
 * the address, so the page needs no schema.
 */
function useNewsletterForm(initial: Pick<NewsletterFormState, 'error' | 'banner'>) {
  const [state, setState] = useState<NewsletterFormState>({ ...idle, ...initial });
  const inputRef = useRef<HTMLInputElement>(null);
  const bannerRef = useRef<HTMLDivElement>(null);
  const isSending = useRef(false);

  useEffect(() => {
    if (inputRef.current?.form) inputRef.current.form.noValidate = true;
  }, []);

  /** Updates the state and focuses the banner or the field. */
  const show = (next: NewsletterFormState) => {
    flushSync(() => setState(next));
    (bannerRef.current ?? inputRef.current)?.focus();
  };

  const handleSubmit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const input = inputRef.current;
    if (isSending.current || !input) return;

    isSending.current = true;
    setState({ ...idle, isSubmitting: true });
    const values = { email: input.value };
    const result = await postForm(apiPaths.newsletterSubscriptions, values, contract);
    isSending.current = false;
    if (result.kind === 'accepted') input.value = '';
    show(describeResult(result));
  };

  /** Removes the error, which was about the previous address. */
  const handleChange = () => {
    setState((current) =>
      current.error === undefined ? current : { ...current, error: undefined },
    );
  };

  return { state, inputRef, bannerRef, handleSubmit, handleChange };
}

function getInitialBanner(
  result: NewsletterFormResult | undefined,
  isSubscribed: boolean,
): NewsletterFormState['banner'] {
  if (result?.banner) return { tone: 'error', text: result.banner };

  return isSubscribed ? { tone: 'success', text: newsletterMessages.success } : undefined;
}

function NewsletterForm() {
  const { newsletterFormResult: result } = usePageState();
  const isSubscribed = useOnceParameter(insightsQuery.subscribed);
  const { state, inputRef, bannerRef, handleSubmit, handleChange } = useNewsletterForm({
    error: result?.error,
    banner: getInitialBanner(result, isSubscribed),
  });
  const { banner, error, isSubmitting } = state;

  return (
    <>
      <form
        className={styles.form}
        {...(banner || error !== undefined ? hydrateNow : {})}
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
                // The field isn't marked as required, because it is the only one.
                required
                autoComplete="email"
                defaultValue={result?.email}
                {...autoFocusOnServer(result?.error !== undefined)}
              />
            )}
          </Field>
          <SubmitButton>{isSubmitting ? newsletterMessages.submitting : 'Subscribe'}</SubmitButton>
        </fieldset>
        <p className={shared.note}>
          How we handle your address: <a href={routePatterns.privacyPolicy}>Privacy Policy</a>.
        </p>
      </form>
      <VisuallyHidden role="status">{isSubmitting && newsletterMessages.submitting}</VisuallyHidden>
    </>
  );
}

/** The newsletter box. Works without scripts; once hydrated, it sends JSON and shows errors in place. */
export function NewsletterBox() {
  return (
    <Section
      id={anchors.newsletter}
      heading="New articles by email"
      lead="We write when there is something new to read. You confirm your address first, and can unsubscribe at any time."
      tone="white"
      layout="split"
    >
      <NewsletterForm />
    </Section>
  );
}
