import * as v from 'valibot';
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

/** Keeps one draft; without a working storage it keeps none and doesn't complain. */
export interface DraftStore {
  readonly read: () => ContactDraft | undefined;
  /** Keeps the draft, or removes what was kept when nothing is typed. */
  readonly write: (draft: ContactDraft) => void;
  readonly remove: () => void;
}

const STORAGE_KEY = 'contact_draft';

const industrySchema = v.pipe(
  v.string(),
  v.transform((value) => (isIndustryOption(value) ? value : '')),
);

const draftSchema = v.object({
  values: v.object({
    name: v.string(),
    email: v.string(),
    company: v.string(),
    phone: v.string(),
    industry: industrySchema,
    message: v.string(),
  }),
  preselected: industrySchema,
  attempt: v.nullable(v.object({ id: v.pipe(v.string(), v.uuid()), content: v.string() })),
});

function parseDraft(text: string | null): ContactDraft | undefined {
  const result = v.safeParse(draftSchema, text === null ? undefined : JSON.parse(text));

  return result.success ? result.output : undefined;
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
