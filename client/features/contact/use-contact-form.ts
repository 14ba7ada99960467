import {
  useEffect,
  useRef,
  useState,
  type FocusEvent,
  type RefObject,
  type SubmitEvent,
  type SyntheticEvent,
} from 'react';
import { flushSync } from 'react-dom';
import type { FormSignals } from '../../../shared/contact/contact-request.ts';
import {
  contactMessages,
  parseContactFields,
  writeSuccess,
  type ContactFields,
  type TypedContactFields,
} from '../../../shared/contact/contact-schema.ts';
import { suggestAddress } from '../../../shared/contact/suggest-address.ts';
import type { FieldErrors } from '../../../shared/problem.ts';
import type { Site } from '../../../shared/site.ts';
import { useSite } from '../../app/page-state.tsx';
import { clearVisitedPaths, loadVisitSource } from '../../app/visit-source.ts';
import type { BannerTone } from '../../components/banner.tsx';
import type { FormResult } from '../forms/post-form.ts';
import { clearFields, focusFirstError, readHoneypot, readTypedFields, replaceAddress } from './contact-fields.tsx';
import { loadSentRequest } from './sent-request-loader.tsx';
import { submitContactRequest } from './submit-contact-request.ts';
import type { useContactDraft } from './use-contact-draft.ts';

export interface ContactFormState {
  readonly isSubmitting: boolean;
  readonly errors: FieldErrors;
  readonly banner: { readonly tone: BannerTone; readonly text: string } | undefined;
  /** Submitted fields, or undefined if the form was posted without scripts. */
  readonly sent: ContactFields | undefined;
}

const idle: ContactFormState = {
  isSubmitting: false,
  errors: {},
  banner: undefined,
  sent: undefined,
};

const fail = (text: string): ContactFormState => ({ ...idle, banner: { tone: 'error', text } });

/** Returns the form's state after submitting `sent` with this result. */
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

/** Returns the errors after a field has changed, with that field's error removed or replaced. */
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

/** Returns the form's state after a change to the named field. */
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
  readonly initialBanner: ContactFormState['banner'];
  readonly draft: ReturnType<typeof useContactDraft>;
}

/** Sends a request and, if it is accepted, removes its data from browser storage. Never rejects. */
async function send(
  fields: ContactFields,
  draft: ContactFormOptions['draft'],
  spam: FormSignals,
): Promise<FormResult> {
  const confirmation = loadSentRequest();
  const attempt = draft.beginAttempt(fields);
  const about = { source: loadVisitSource(), spam };
  const result = await submitContactRequest({ fields, about }, attempt, draft.saveAttempt);
  if (result.kind === 'accepted') {
    draft.discard();
    clearVisitedPaths();
    await confirmation;
  }

  return result;
}

/** Returns the form's handlers and its state: idle, submitting, then a banner or field errors. */
export function useContactForm({ formRef, initialBanner, draft }: ContactFormOptions) {
  const site = useSite();
  const [state, setState] = useState<ContactFormState>({ ...idle, banner: initialBanner });
  const bannerRef = useRef<HTMLDivElement>(null);
  const isSending = useRef(false);
  const [suggestion, setSuggestion] = useState<string>();

  useEffect(() => {
    if (formRef.current) formRef.current.noValidate = true;
  }, [formRef]);

  /** Updates the state and focuses its banner or first error. */
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
    if (!parsed.ok) {
      // Focus before rendering the messages. Otherwise the browser would lay out the page twice.
      focusFirstError(form, parsed.errors);
      setState({ ...idle, errors: parsed.errors });

      return;
    }

    isSending.current = true;
    setState({ ...idle, isSubmitting: true });
    // `performance.now()` includes the time before hydration, when visitors can already type.
    const spam = { honeypot: readHoneypot(form), filled_in_ms: Math.round(performance.now()) };
    const result = await send(parsed.value, draft, spam);
    isSending.current = false;
    const next = describeResult(result, parsed.value, site);
    if (next.banner?.tone === 'error') console.error(next.banner.text);
    if (next.sent) clearFields(form);
    show(form, next);
  };

  const handleChange = (event: SyntheticEvent<HTMLFormElement>) => {
    draft.save();
    const values = readTypedFields(event.currentTarget);
    const name = event.target instanceof Element ? event.target.getAttribute('name') : null;
    setState((current) => recheckState(current, name, values));
    if (name === 'email') setSuggestion(undefined);
  };

  /**
   * Shows a suggestion when another field gets focus. Focus on the submit button is ignored, because a suggestion would
   * move the button out from under the pointer.
   */
  const handleFocus = ({ currentTarget, target }: FocusEvent<HTMLFormElement>) => {
    if (target.matches('input:not([name=email]), select, textarea')) setSuggestion(suggestAddress(readTypedFields(currentTarget).email));
  };

  const acceptSuggestion = () => {
    if (!formRef.current || suggestion === undefined) return;
    replaceAddress(formRef.current, suggestion);
    setSuggestion(undefined);
    draft.save();
    const values = readTypedFields(formRef.current);
    setState((current) => recheckState(current, 'email', values));
  };

  return { state, bannerRef, suggestion, handleSubmit, handleChange, handleFocus, acceptSuggestion };
}
