import { useEffect, useEffectEvent, useRef, type RefObject } from 'react';
import {
  contactFieldNames,
  mapContactFields,
  type ContactFields,
  type TypedContactFields,
} from '../../../shared/contact/contact-schema.ts';
import { isIndustryOption } from '../../../shared/contact/industry-options.ts';
import { tryStorage } from '../../app/storage.ts';
import { addMessageNote, takeMessageNote } from '../forms/message-note.ts';
import { readTypedFields, writeTypedFields } from './contact-fields.tsx';
import { continueAttempt, type SubmissionAttempt } from './submit-contact-request.ts';

/** The form's unsent input. */
export interface ContactDraft {
  readonly values: TypedContactFields;
  /** The industry that the page's URL preselected, or ''. */
  readonly preselected: string;
  /** The latest attempt to send the form. Null before the first attempt. */
  readonly attempt: SubmissionAttempt | null;
}

/** Session storage key of the draft. */
export const DRAFT_KEY = 'contact_draft';

const isText = (value: unknown): value is string => typeof value === 'string';
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Returns the industry, or '' if it is no longer offered. */
const parseIndustry = (value: string) => (isIndustryOption(value) ? value : '');

function isAttempt(value: unknown): value is SubmissionAttempt {
  const { id, content } = Object(value) as Partial<SubmissionAttempt>;

  return isText(id) && UUID.test(id) && isText(content);
}

/** Parses a stored draft. Returns undefined if it is incomplete or from another version. */
function parseDraft(text: string | null): ContactDraft | undefined {
  const { values, preselected, attempt } = Object(
    text === null ? undefined : JSON.parse(text),
  ) as Partial<ContactDraft>;
  const typed = Object(values) as Partial<TypedContactFields>;
  const isComplete = contactFieldNames.every((name) => isText(typed[name]));
  if (!isComplete || !isText(preselected) || !(attempt === null || isAttempt(attempt))) {
    return undefined;
  }
  const fields = typed as TypedContactFields;

  return {
    values: { ...fields, industry: parseIndustry(fields.industry) },
    preselected: parseIndustry(preselected),
    attempt,
  };
}

function hasContent({ values, preselected }: ContactDraft): boolean {
  const untouched = (name: string) => (name === 'industry' ? preselected : '');

  return contactFieldNames.some((name) => values[name] !== untouched(name));
}

/** The tab's draft. Does nothing if storage is unavailable. */
export const drafts = {
  read: () => tryStorage(() => parseDraft(sessionStorage.getItem(DRAFT_KEY))),
  /** Stores the draft, or removes it if it is empty. */
  write: (draft: ContactDraft) => {
    if (!hasContent(draft)) return drafts.remove();
    tryStorage(() => sessionStorage.setItem(DRAFT_KEY, JSON.stringify(draft)));
  },
  remove: () => {
    tryStorage(() => sessionStorage.removeItem(DRAFT_KEY));
  },
};

/**
 * Returns the industry to show: the one chosen on this page, otherwise the draft's, even if empty. A different
 * preselection in the URL overrides the draft, because the visitor has followed a newer link.
 */
function chooseIndustry(shown: string, preselected: string, draft: ContactDraft): string {
  const isChosenHere = shown !== preselected;
  if (isChosenHere) return shown;

  return preselected === '' || draft.preselected === preselected
    ? draft.values.industry
    : preselected;
}

/**
 * Returns the fields to show after a reload. The draft fills only empty fields to keep what was typed before hydration.
 * @param shown the current fields
 * @param preselected the industry from the page's URL, or ''
 */
export function mergeDraft(
  shown: TypedContactFields,
  preselected: string,
  draft: ContactDraft,
): TypedContactFields {
  const values = mapContactFields((name) => shown[name] || draft.values[name]);

  return { ...values, industry: chooseIndustry(shown.industry, preselected, draft) };
}

interface DraftOptions {
  readonly formRef: RefObject<HTMLFormElement | null>;
  /** The industry from the page's URL, or ''. */
  readonly preselected: string;
  /** Whether the form was sent before this page loaded. If so, its draft is removed. */
  readonly isSent: boolean;
}

/** Restores the form's input, and stores it with the attempt until the form is sent. */
export function useContactDraft({ formRef, preselected, isSent }: DraftOptions) {
  const attempt = useRef<SubmissionAttempt>(null);

  const save = () => {
    if (!formRef.current) return;
    const values = readTypedFields(formRef.current);
    drafts.write({ values, preselected, attempt: attempt.current });
  };

  const restore = useEffectEvent(() => {
    const form = formRef.current;
    if (!form) return;

    if (isSent) drafts.remove();
    const draft = drafts.read();
    attempt.current = draft?.attempt ?? null;
    const shown = readTypedFields(form);
    const values = draft ? mergeDraft(shown, preselected, draft) : shown;
    const note = takeMessageNote();
    writeTypedFields(form, note ? { ...values, message: addMessageNote(values.message, note) } : values);
    save();
  });
  useEffect(() => {
    restore();
  }, []);

  const saveAttempt = (next: SubmissionAttempt) => {
    attempt.current = next;
    save();
  };

  return {
    save,
    saveAttempt,
    /** Stores and returns the attempt to send `fields`. */
    beginAttempt: (fields: ContactFields): SubmissionAttempt => {
      const next = continueAttempt(attempt.current, fields);
      saveAttempt(next);

      return next;
    },
    discard: () => {
      attempt.current = null;
      drafts.remove();
    },
  };
}
