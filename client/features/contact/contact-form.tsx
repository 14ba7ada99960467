import { Suspense, useRef } from 'react';
import {
  contactFieldNames,
  contactMessages,
  writeSuccess,
  type TypedContactFields,
} from '../../../shared/contact/contact-schema.ts';
import { isIndustryOption, type IndustryOption } from '../../../shared/contact/industry-options.ts';
import { routePatterns } from '../../../shared/paths.ts';
import type { ContactFormResult } from '../../../shared/page-state.ts';
import { getResponsePromise, type Site } from '../../../shared/site.ts';
import { useFirstView, usePageState, useSite } from '../../app/page-state.tsx';
import { wakeNow, wakeWhenStored } from '../../app/wake-conditions.ts';
import { Banner } from '../../components/banner.tsx';
import { LegalEmail } from '../../components/legal-email.tsx';
import { Link } from '../../components/link.tsx';
import { SubmitButton } from '../../components/submit-button.tsx';
import { VisuallyHidden } from '../../components/visually-hidden.tsx';
import { MESSAGE_NOTE_KEY } from '../forms/message-note.ts';
import { ContactFields, getFieldId, HoneypotField } from './contact-fields.tsx';
import styles from './contact-form.module.css';
import { LoadedSentRequest } from './sent-request-loader.tsx';
import { DRAFT_KEY, useContactDraft } from './use-contact-draft.ts';
import { useContactForm, type ContactFormState } from './use-contact-form.ts';

interface ContactFormProps {
  /** The option the page's address names. */
  readonly preselected: IndustryOption | undefined;
  /** A plain post was accepted and led here. */
  readonly isSent: boolean;
}

function getInitialBanner(
  result: ContactFormResult | undefined,
  isSent: boolean,
  site: Site,
): ContactFormState['banner'] {
  if (result?.banner) return { tone: 'error', text: result.banner };

  return isSent ? { tone: 'success', text: writeSuccess(site) } : undefined;
}

function makeDefaults(
  result: ContactFormResult | undefined,
  preselected: string,
): TypedContactFields {
  if (!result) {
    return { name: '', email: '', company: '', phone: '', industry: preselected, message: '' };
  }
  const { industry } = result.values;

  return { ...result.values, industry: isIndustryOption(industry) ? industry : '' };
}

function SubmitRow({ isSubmitting }: { isSubmitting: boolean }) {
  const site = useSite();

  return (
    <div className={styles.submitRow}>
      <SubmitButton>
        {isSubmitting ? contactMessages.submitting : 'Get Your Free Assessment'}
      </SubmitButton>
      <p className={styles.note}>
        Free, with no obligation. We answer {getResponsePromise(site)}. How we handle your data:{' '}
        <Link to={routePatterns.privacyPolicy}>Privacy Policy</Link>.
      </p>
    </div>
  );
}

/** The request form: works as a plain post, and by a call with messages in place once hydrated. */
export function ContactForm({ preselected, isSent }: ContactFormProps) {
  const formRef = useRef<HTMLFormElement>(null);
  const { contactFormResult, site } = usePageState();
  const result = useFirstView(contactFormResult);
  const option = preselected ?? '';
  const messageId = getFieldId('message');
  const draft = useContactDraft({ formRef, messageId, preselected: option, isSent });
  const initial = { errors: result?.errors ?? {}, banner: getInitialBanner(result, isSent, site) };
  const { state, bannerRef, handleSubmit, handleChange } = useContactForm({ formRef, initial, draft });
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
        className={styles.form}
        {...wakeWhenStored(DRAFT_KEY, MESSAGE_NOTE_KEY)}
        {...(result || isSent ? wakeNow : {})}
        hidden={isDone}
        method="post"
        action={routePatterns.contact}
        aria-label={contactMessages.heading}
        aria-busy={isSubmitting}
        onSubmit={handleSubmit}
        onChange={handleChange}
      >
        {!isDone && message}
        {banner?.tone === 'error' && (
          <p>
            Or email us at <LegalEmail />.
          </p>
        )}
        <p className={styles.legend}>
          Fields marked <span className={styles.mark}>*</span> are required.
        </p>
        <fieldset className={styles.fieldset} disabled={isSubmitting}>
          <ContactFields
            defaults={makeDefaults(result, option)}
            errors={errors}
            focusedName={contactFieldNames.find((name) => initial.errors[name] !== undefined)}
          />
          <HoneypotField />
          <SubmitRow isSubmitting={isSubmitting} />
        </fieldset>
      </form>
      <VisuallyHidden role="status">{isSubmitting && contactMessages.submitting}</VisuallyHidden>
    </>
  );
}
