import { useEffect, useRef, useState, type SubmitEvent } from 'react';
import { flushSync } from 'react-dom';
import { newsletterMessages } from '../../../shared/newsletter/newsletter-messages.ts';
import { apiPaths } from '../../../shared/paths.ts';
import type { BannerTone } from '../../components/banner.tsx';
import { postForm, type FormResult } from '../forms/post-form.ts';
import type { FormContract } from '../forms/read-form-answer.ts';

export interface NewsletterFormState {
  readonly isSubmitting: boolean;
  /** What is wrong with the address. */
  readonly error: string | undefined;
  readonly banner: { readonly tone: BannerTone; readonly text: string } | undefined;
}

const contract: FormContract = {
  fieldNames: ['email'],
  isAccepted: (status) => status === 202,
};

const idle: NewsletterFormState = { isSubmitting: false, error: undefined, banner: undefined };

const fail = (text: string): NewsletterFormState => ({ ...idle, banner: { tone: 'error', text } });

/** The state that follows from how sending the address ended. */
function describeResult(result: FormResult): NewsletterFormState {
  switch (result.kind) {
    case 'accepted':
      return { ...idle, banner: { tone: 'success', text: newsletterMessages.success } };
    case 'invalid':
      return { ...idle, error: result.errors['email'] };
    case 'refused':
      return fail(result.detail);
    case 'unanswered':
      return fail(newsletterMessages.noAnswer);
  }
}

/**
 * The box's states: idle, subscribing, then a banner or a message beside the field. The server
 * alone checks the address: the page needs no schema for one field.
 */
export function useNewsletterForm(initial: Pick<NewsletterFormState, 'error' | 'banner'>) {
  const [state, setState] = useState<NewsletterFormState>({ ...idle, ...initial });
  const inputRef = useRef<HTMLInputElement>(null);
  const bannerRef = useRef<HTMLDivElement>(null);
  const isSending = useRef(false);

  useEffect(() => {
    if (inputRef.current?.form) inputRef.current.form.noValidate = true;
  }, []);

  /** Shows the state and moves focus to what there is to read. */
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

  /** What was wrong with the address is not said of another. */
  const handleChange = () => {
    setState((current) =>
      current.error === undefined ? current : { ...current, error: undefined },
    );
  };

  return { state, inputRef, bannerRef, handleSubmit, handleChange };
}
