import {
  useEffect,
  useRef,
  useState,
  type RefObject,
  type SubmitEvent,
  type SyntheticEvent,
} from 'react';
import { flushSync } from 'react-dom';
import {
  contactMessages,
  parseContactFields,
  type TypedContactFields,
} from '../../../shared/contact/contact-schema.ts';
import type { FieldErrors } from '../../../shared/problem.ts';
import { loadVisitSource } from '../../app/visit-source.ts';
import type { BannerTone } from '../../components/banner.tsx';
import type { FormResult } from '../forms/post-form.ts';
import { clearFields, focusFirstError, readHoneypot, readTypedFields } from './contact-fields.tsx';
import { collectFormSignals, submitContactRequest } from './submit-contact-request.ts';
import type { useContactDraft } from './use-contact-draft.ts';

export interface ContactFormState {
  readonly isSubmitting: boolean;
  readonly errors: FieldErrors;
  readonly banner: { readonly tone: BannerTone; readonly text: string } | undefined;
}

const idle: ContactFormState = { isSubmitting: false, errors: {}, banner: undefined };

const fail = (text: string): ContactFormState => ({ ...idle, banner: { tone: 'error', text } });

/** The state after a submission with this result. */
function describeResult(result: FormResult): ContactFormState {
  switch (result.kind) {
    case 'accepted':
      return { ...idle, banner: { tone: 'success', text: contactMessages.success } };
    case 'invalid':
      return { ...idle, errors: result.errors };
    case 'refused':
      return fail(contactMessages.serverError + result.detail);
    case 'no-response':
      return fail(contactMessages.noResponse + result.message);
  }
}

/** The errors after a field that has one was changed: its message is removed or replaced. */
export function recheckField(
  errors: FieldErrors,
  name: string,
  values: TypedContactFields,
): FieldErrors {
  if (errors[name] === undefined) return errors;

  const { [name]: _previous, ...others } = errors;
  const parsed = parseContactFields(values);
  const message = parsed.ok ? undefined : parsed.errors[name];

  return message === undefined ? others : { ...others, [name]: message };
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

  /** Shows the state and moves focus to its banner or first error. */
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
    const parsed = parseContactFields(readTypedFields(form));
    if (!parsed.ok) return show(form, { ...idle, errors: parsed.errors });

    isSending.current = true;
    setState({ ...idle, isSubmitting: true });
    const attempt = draft.beginAttempt(parsed.value);
    const spam = await collectFormSignals(parsed.value, {
      honeypot: readHoneypot(form),
      filledInMs: performance.now() - shownAt.current,
    });
    const about = { source: loadVisitSource(), spam };
    const result = await submitContactRequest(
      { fields: parsed.value, about },
      attempt,
      draft.saveAttempt,
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
