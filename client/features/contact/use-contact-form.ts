import {
  useEffect,
  useRef,
  useState,
  type RefObject,
  type SubmitEvent,
  type SyntheticEvent,
} from 'react';
import { flushSync } from 'react-dom';
import { contactMessages } from '../../../shared/contact/contact-messages.ts';
import { readContactFields, type FieldErrors } from '../../../shared/contact/contact-schema.ts';
import { recallVisitSource } from '../../app/visit-source.ts';
import type { BannerTone } from '../../components/banner.tsx';
import type { FormResult } from '../forms/post-form.ts';
import { clearFields, focusFirstError, readHoneypot, readTypedFields } from './form-elements.ts';
import { recheckField } from './recheck-field.ts';
import { gatherSpamSignals } from './spam-signals.ts';
import { submitContactRequest } from './submit-contact-request.ts';
import type { useContactDraft } from './use-contact-draft.ts';

export interface ContactFormState {
  readonly isSubmitting: boolean;
  readonly errors: FieldErrors;
  readonly banner: { readonly tone: BannerTone; readonly text: string } | undefined;
}

const idle: ContactFormState = { isSubmitting: false, errors: {}, banner: undefined };

const fail = (text: string): ContactFormState => ({ ...idle, banner: { tone: 'error', text } });

/** The state that follows from how a submission ended. */
function describeResult(result: FormResult): ContactFormState {
  switch (result.kind) {
    case 'accepted':
      return { ...idle, banner: { tone: 'success', text: contactMessages.success } };
    case 'invalid':
      return { ...idle, errors: result.errors };
    case 'refused':
      return fail(contactMessages.serverError + result.detail);
    case 'unanswered':
      return fail(contactMessages.noAnswer + result.message);
  }
}

interface ContactFormOptions {
  readonly formRef: RefObject<HTMLFormElement | null>;
  readonly initial: Pick<ContactFormState, 'errors' | 'banner'>;
  readonly draft: ReturnType<typeof useContactDraft>;
}

/** The form's states: idle, submitting, then a banner or messages beside the fields. */
export function useContactForm({ formRef, initial, draft }: ContactFormOptions) {
  const [state, setState] = useState<ContactFormState>({ ...idle, ...initial });
  const bannerRef = useRef<HTMLDivElement>(null);
  const isSending = useRef(false);
  const shownAt = useRef(0);

  useEffect(() => {
    shownAt.current = performance.now();
    if (formRef.current) formRef.current.noValidate = true;
  }, [formRef]);

  /** Shows the state and moves focus to what there is to read. */
  const show = (form: HTMLFormElement, next: ContactFormState) => {
    flushSync(() => setState(next));
    if (next.banner) {
      bannerRef.current?.scrollIntoView({ block: 'center' });
      bannerRef.current?.focus({ preventScroll: true });
    } else {
      focusFirstError(form, next.errors);
    }
  };

  const handleSubmit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isSending.current) return;

    const form = event.currentTarget;
    const reading = readContactFields(readTypedFields(form));
    if (!reading.ok) return show(form, { ...idle, errors: reading.errors });

    isSending.current = true;
    setState({ ...idle, isSubmitting: true });
    const attempt = draft.beginAttempt(reading.value);
    const spam = await gatherSpamSignals(reading.value, {
      honeypot: readHoneypot(form),
      filledInMs: performance.now() - shownAt.current,
    });
    const about = { source: recallVisitSource(), spam };
    const result = await submitContactRequest(
      { fields: reading.value, about },
      attempt,
      draft.keepAttempt,
    );
    isSending.current = false;

    const next = describeResult(result);
    if (next.banner?.tone === 'error') console.error(next.banner.text);
    if (result.kind === 'accepted') {
      draft.discard();
      clearFields(form);
    }
    show(form, next);
  };

  const handleChange = (event: SyntheticEvent<HTMLFormElement>) => {
    draft.save();
    const values = readTypedFields(event.currentTarget);
    const name = event.target instanceof Element ? event.target.getAttribute('name') : null;
    setState((current) => {
      const errors = name === null ? current.errors : recheckField(current.errors, name, values);

      return errors === current.errors ? current : { ...current, errors };
    });
  };

  return { state, bannerRef, handleSubmit, handleChange };
}
