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

/** The fields as typed and not sent yet. */
export interface ContactDraft {
  readonly values: TypedContactFields;
  /** The option the page's address preselected while this was typed, or ''. */
  readonly preselected: string;
  /** Set once the visitor tried to send it. */
  readonly attempt: SubmissionAttempt | null;
}

/** Key of the draft in the tab's storage. */
export const DRAFT_KEY = 'contact_draft';

const isText = (value: unknown): value is string => typeof value === 'string';
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** An option that is offered no more counts as none. */
const parseIndustry = (value: string) => (isIndustryOption(value) ? value : '');

function isAttempt(value: unknown): value is SubmissionAttempt {
  const { id, content } = Object(value) as Partial<SubmissionAttempt>;

  return isText(id) && UUID.test(id) && isText(content);
}

/** Parses a stored draft; what isn't a whole draft of this version is none. */
function parseDraft(text: string | null): ContactDraft | undefined {
  const { values, preselected, attempt } = Object(
    text === null ? undefined : JSON.parse(text),
  ) as Partial<ContactDraft>;
  const typed = Object(values) as Partial<TypedContactFields>;
  const isWhole = contactFieldNames.every((name) => isText(typed[name]));
  if (!isWhole || !isText(preselected) || !(attempt === null || isAttempt(attempt))) {
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

/** The tab's one draft. Without a working storage it stores none and reports nothing. */
export const drafts = {
  read: () => tryStorage(() => parseDraft(sessionStorage.getItem(DRAFT_KEY))),
  /** Stores the draft, or removes the stored one when nothing is typed. */
  write: (draft: ContactDraft) => {
    if (!hasContent(draft)) return drafts.remove();
    tryStorage(() => sessionStorage.setItem(DRAFT_KEY, JSON.stringify(draft)));
  },
  remove: () => {
    tryStorage(() => sessionStorage.removeItem(DRAFT_KEY));
  },
};

/**
 * The industry to show. A draft's choice, also that of none, counts against the address only if
 * it was made while the address preselected the same: a link followed later is newer.
 */
function chooseIndustry(shown: string, preselected: string, draft: ContactDraft): string {
  const isChosenHere = shown !== preselected;
  if (isChosenHere) return shown;

  return preselected === '' || draft.preselected === preselected
    ? draft.values.industry
    : preselected;
}

/**
 * What the form shows after a reload: the draft fills the fields that are still empty, so what was
 * typed before hydration wins.
 * @param shown the fields as they are now
 * @param preselected the option the page's address names, or ''
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
  /** The option the page's address names, or ''. */
  readonly preselected: string;
  /** The form was sent before this page was loaded: nothing is left to restore. */
  readonly isSent: boolean;
}

/** Stores what is typed, and the id it is sent with, until it is sent. */
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
    /** The attempt to send `fields` with, stored before anything is sent. */
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
