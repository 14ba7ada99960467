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
  writeSuccess,
  type ContactFields,
  type TypedContactFields,
} from '../../../shared/contact/contact-schema.ts';
import type { FieldErrors } from '../../../shared/problem.ts';
import type { Site } from '../../../shared/site.ts';
import { useIsHydrated, useSite } from '../../app/page-state.tsx';
import { clearVisitedPaths, loadVisitSource } from '../../app/visit-source.ts';
import type { BannerTone } from '../../components/banner.tsx';
import type { FormResult } from '../forms/post-form.ts';
import { clearFields, focusFirstError, readHoneypot, readTypedFields } from './contact-fields.tsx';
import { loadSentRequest } from './sent-request-loader.tsx';
import { collectFormSignals, submitContactRequest } from './submit-contact-request.ts';
import type { useContactDraft } from './use-contact-draft.ts';
import { useRestart } from './use-restart.ts';

export interface ContactFormState {
  readonly isSubmitting: boolean;
  readonly errors: FieldErrors;
  readonly banner: { readonly tone: BannerTone; readonly text: string } | undefined;
  /** What was sent, once the banner says so; undefined after a plain post. */
  readonly sent: ContactFields | undefined;
}

const idle: ContactFormState = {
  isSubmitting: false,
  errors: {},
  banner: undefined,
  sent: undefined,
};

const fail = (text: string): ContactFormState => ({ ...idle, banner: { tone: 'error', text } });

/** The state after `sent` was submitted with this result. */
function describeResult(result: FormResult, sent: ContactFields, site: Site): ContactFormState {
  switch (result.kind) {
    case 'accepted':
      return { ...idle, banner: { tone: 'success', text: writeSuccess(site) }, sent };
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

/** The state after the field of this name, if it has one, was changed. */
function recheckState(
  state: ContactFormState,
  name: string | null,
  values: TypedContactFields,
): ContactFormState {
  const errors = name === null ? state.errors : recheckField(state.errors, name, values);

  return errors === state.errors ? state : { ...state, errors };
}

interface ContactFormOptions {
  readonly formRef: RefObject<HTMLFormElement | null>;
  readonly initial: Pick<ContactFormState, 'errors' | 'banner'>;
  readonly draft: ReturnType<typeof useContactDraft>;
}

/** Removes what was sent from the form and from the browser's storage. */
function clearSent(form: HTMLFormElement, draft: ContactFormOptions['draft']): void {
  draft.discard();
  clearFields(form);
  clearVisitedPaths();
}

/** The form's states: idle, submitting, then a banner or messages beside the fields. */
export function useContactForm({ formRef, initial, draft }: ContactFormOptions) {
  const site = useSite();
  const [state, setState] = useState<ContactFormState>({ ...idle, ...initial });
  const bannerRef = useRef<HTMLDivElement>(null);
  const isSending = useRef(false);
  const isServed = !useIsHydrated();
  // A form in the server's page can be filled from the moment its document came.
  const [shownAt] = useState(() => (isServed ? 0 : performance.now()));

  useEffect(() => {
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
    const viewOfSent = loadSentRequest();
    setState({ ...idle, isSubmitting: true });
    const attempt = draft.beginAttempt(parsed.value);
    const filledInMs = performance.now() - shownAt;
    const spam = await collectFormSignals(parsed.value, { honeypot: readHoneypot(form), filledInMs });
    const about = { source: loadVisitSource(), spam };
    const result = await submitContactRequest(
      { fields: parsed.value, about },
      attempt,
      draft.saveAttempt,
    );
    isSending.current = false;

    const next = describeResult(result, parsed.value, site);
    if (next.banner?.tone === 'error') console.error(next.banner.text);
    if (result.kind === 'accepted') {
      clearSent(form, draft);
      await viewOfSent;
    }
    show(form, next);
  };

  const handleChange = (event: SyntheticEvent<HTMLFormElement>) => {
    draft.save();
    const values = readTypedFields(event.currentTarget);
    const name = event.target instanceof Element ? event.target.getAttribute('name') : null;
    setState((current) => recheckState(current, name, values));
  };

  /** Shows the empty form again. */
  const startAgain = () => setState(idle);
  useRestart({ formRef, isDone: state.banner?.tone === 'success', startAgain });

  return { state, bannerRef, handleSubmit, handleChange, startAgain };
}
