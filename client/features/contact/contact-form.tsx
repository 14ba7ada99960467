import { Suspense, useRef } from 'react';
import {
  contactMessages,
  formWords,
  writeSuccess,
} from '../../../shared/contact/contact-schema.ts';
import { routePatterns } from '../../../shared/paths.ts';
import { getResponsePromise } from '../../../shared/site.ts';
import { useSite } from '../../app/page-state.tsx';
import { hydrateNow, hydrateIfStored } from '../../app/hydration-triggers.ts';
import { Banner } from '../../components/banner.tsx';
import field from '../../components/field.module.css';
import { LegalEmail } from '../../components/legal-email.tsx';
import shared from '../../components/shared.module.css';
import { SubmitButton } from '../../components/submit-button.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { MESSAGE_NOTE_KEY } from '../forms/message-note.ts';
import { ContactFields, HoneypotField, writeSuggestion } from './contact-fields.tsx';
import styles from './contact-form.module.css';
import { LoadedSentRequest } from './sent-request-loader.tsx';
import { DRAFT_KEY, useContactDraft } from './use-contact-draft.ts';
import { useContactForm } from './use-contact-form.ts';

interface ContactFormProps {
  /** The industry from the page's URL. */
  readonly preselected: string | undefined;
  /** Whether the server accepted a form posted without scripts and redirected here. */
  readonly isSent: boolean;
}

function SubmitRow({ isSubmitting }: { isSubmitting: boolean }) {
  const site = useSite();

  return (
    <div className={styles.submitRow}>
      <SubmitButton>
        {isSubmitting ? contactMessages.submitting : formWords.submit}
      </SubmitButton>
      <p className={shared.note}>
        Free, with no obligation. We answer {getResponsePromise(site)}. How we handle your data:{' '}
        <a href={routePatterns.privacyPolicy}>Privacy Policy</a>.
      </p>
    </div>
  );
}

/** The contact form. Works without scripts; once hydrated, it sends JSON and shows errors in place. */
export function ContactForm({ preselected, isSent }: ContactFormProps) {
  const formRef = useRef<HTMLFormElement>(null);
  const site = useSite();
  const option = preselected ?? '';
  const draft = useContactDraft({ formRef, preselected: option, isSent });
  const initialBanner = isSent ? ({ tone: 'success', text: writeSuccess(site) } as const) : undefined;
  const contact = useContactForm({ formRef, initialBanner, draft });
  const { state, bannerRef, suggestion, handleSubmit, handleChange, handleFocus, acceptSuggestion } = contact;
  const { banner, errors, isSubmitting, sent } = state;
  const isDone = banner?.tone === 'success';
  const message = banner && (
    <Banner ref={bannerRef} tone={banner.tone}>
      {banner.text}
    </Banner>
  );

  return (
    <>
      {isDone && (
        <Suspense fallback={message}>
          <LoadedSentRequest bannerRef={bannerRef} sent={sent} message={message} />
        </Suspense>
      )}
      <form
        ref={formRef}
        className={`${shared.panel} ${styles.form}`}
        {...hydrateIfStored(DRAFT_KEY, MESSAGE_NOTE_KEY)}
        {...(isSent ? hydrateNow : {})}
        hidden={isDone}
        method="post"
        action={routePatterns.contact}
        aria-label={contactMessages.heading}
        aria-busy={isSubmitting}
        onSubmit={handleSubmit}
        onChange={handleChange}
        onFocus={handleFocus}
      >
        {!isDone && message}
        {banner?.tone === 'error' && (
          <p>
            Or email us at <LegalEmail />.
          </p>
        )}
        <p className={shared.note}>
          Fields marked <span className={field.mark}>*</span> are required.
        </p>
        <fieldset disabled={isSubmitting}>
          <ContactFields preselected={option} errors={errors} suggestion={suggestion} onAccept={acceptSuggestion} />
          <HoneypotField />
          <SubmitRow isSubmitting={isSubmitting} />
        </fieldset>
      </form>
      <VisuallyHidden role="status">
        {isSubmitting ? contactMessages.submitting : suggestion && writeSuggestion(suggestion)}
      </VisuallyHidden>
    </>
  );
}
