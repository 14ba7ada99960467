import { useEffect, useRef, useState, type RefObject } from 'react';
import type { ContactFields } from '../../../shared/contact/contact-schema.ts';
import { createDraftStore } from './contact-draft.ts';
import { readTypedFields, writeTypedFields } from './form-elements.ts';
import { mergeDraft } from './merge-draft.ts';
import { continueAttempt, type SubmissionAttempt } from './submission-attempt.ts';

const drafts = createDraftStore(() => window.sessionStorage);

/** The message as it stands in the server's page; undefined once React has made the page. */
function readServedMessage(messageId: string): string | undefined {
  if (typeof document === 'undefined') return undefined;
  const field = document.getElementById(messageId);

  return field instanceof HTMLTextAreaElement ? field.value : undefined;
}

interface DraftOptions {
  readonly formRef: RefObject<HTMLFormElement | null>;
  readonly messageId: string;
  /** The option the page's address names, or ''. */
  readonly preselected: string;
  /** The form was sent before this page was loaded: nothing is left to restore. */
  readonly isSent: boolean;
}

/** Keeps what is typed, and the key it is sent with, until it is sent. */
export function useContactDraft({ formRef, messageId, preselected, isSent }: DraftOptions) {
  const attempt = useRef<SubmissionAttempt>(null);
  const appliedPreselection = useRef<string>(undefined);
  // React resets a textarea that came with text when it hydrates, whatever was typed meanwhile.
  const [servedMessage] = useState(() => readServedMessage(messageId));

  const save = () => {
    if (!formRef.current) return;
    const values = readTypedFields(formRef.current);
    drafts.write({ values, preselected, attempt: attempt.current });
  };

  useEffect(() => {
    const form = formRef.current;
    if (!form || appliedPreselection.current === preselected) return;

    const isFirstTime = appliedPreselection.current === undefined;
    appliedPreselection.current = preselected;
    const shown = readTypedFields(form);
    if (isFirstTime) {
      if (isSent) drafts.remove();
      const draft = drafts.read();
      attempt.current = draft?.attempt ?? null;
      const served = { ...shown, message: servedMessage ?? shown.message };
      writeTypedFields(form, draft ? mergeDraft(served, preselected, draft) : served);
    } else if (preselected !== '') {
      writeTypedFields(form, { ...shown, industry: preselected });
    }
    drafts.write({ values: readTypedFields(form), preselected, attempt: attempt.current });
  }, [formRef, preselected, isSent, servedMessage]);

  const keepAttempt = (next: SubmissionAttempt) => {
    attempt.current = next;
    save();
  };

  return {
    save,
    keepAttempt,
    /** The attempt to send `fields` with, kept before anything is sent. */
    beginAttempt: (fields: ContactFields): SubmissionAttempt => {
      const next = continueAttempt(attempt.current, fields);
      keepAttempt(next);

      return next;
    },
    discard: () => {
      attempt.current = null;
      drafts.remove();
    },
  };
}
