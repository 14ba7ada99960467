import {
  contactFieldNames,
  type TypedContactFields,
} from '../../../shared/contact/contact-schema.ts';
import { isIndustryOption } from '../../../shared/contact/industry-options.ts';
import type { SubmissionAttempt } from './submission-attempt.ts';

/** What was typed and not sent yet. */
export interface ContactDraft {
  readonly values: TypedContactFields;
  /** The option the page's address preselected while this was typed, or ''. */
  readonly preselected: string;
  /** Set once the visitor tried to send it. */
  readonly attempt: SubmissionAttempt | null;
}

/** The parts of the browser's Storage in use. */
export type DraftStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Keeps one draft; without a working storage it keeps none and doesn't printError. */
export interface DraftStore {
  readonly read: () => ContactDraft | undefined;
  /** Keeps the draft, or removes what was kept when nothing is typed. */
  readonly write: (draft: ContactDraft) => void;
  readonly remove: () => void;
}

const STORAGE_KEY = 'contact_draft';

const isText = (value: unknown): value is string => typeof value === 'string';
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** An option that is offered no more counts as none. */
const readIndustry = (value: string) => (isIndustryOption(value) ? value : '');

function isAttempt(value: unknown): value is SubmissionAttempt {
  const { id, content } = Object(value) as Partial<SubmissionAttempt>;

  return isText(id) && UUID.test(id) && isText(content);
}

/** Reads what an earlier visit kept; what isn't a whole draft of this version is none. */
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
    values: { ...fields, industry: readIndustry(fields.industry) },
    preselected: readIndustry(preselected),
    attempt,
  };
}

function isWorthKeeping({ values, preselected }: ContactDraft): boolean {
  const untouched = (name: string) => (name === 'industry' ? preselected : '');

  return contactFieldNames.some((name) => values[name] !== untouched(name));
}

/**
 * A store for the draft.
 * @param open gives the storage; even asking for it throws where the browser forbids it
 */
export function createDraftStore(open: () => DraftStorage): DraftStore {
  // Forbidden, full or holding rubbish: the form works without a draft.
  const tryWith = <Result>(use: (storage: DraftStorage) => Result): Result | undefined => {
    try {
      return use(open());
    } catch {
      return undefined;
    }
  };

  return {
    read: () => tryWith((storage) => parseDraft(storage.getItem(STORAGE_KEY))),
    write: (draft) => {
      tryWith((storage) =>
        isWorthKeeping(draft)
          ? storage.setItem(STORAGE_KEY, JSON.stringify(draft))
          : storage.removeItem(STORAGE_KEY),
      );
    },
    remove: () => {
      tryWith((storage) => storage.removeItem(STORAGE_KEY));
    },
  };
}
