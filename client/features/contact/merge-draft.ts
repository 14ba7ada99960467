import {
  contactFieldNames,
  type TypedContactFields,
} from '../../../shared/contact/contact-schema.ts';
import type { ContactDraft } from './contact-draft.ts';

/**
 * The industry to show. A draft's choice, also that of none, counts against the address only if
 * it was made while the address preselected the same: a link followed later says something newer.
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
 * typed before the page came to life wins.
 * @param shown the fields as they are now
 * @param preselected the option the page's address names, or ''
 */
export function mergeDraft(
  shown: TypedContactFields,
  preselected: string,
  draft: ContactDraft,
): TypedContactFields {
  const values = Object.fromEntries(
    contactFieldNames.map((name) => [name, shown[name] || draft.values[name]]),
  ) as TypedContactFields;

  return { ...values, industry: chooseIndustry(shown.industry, preselected, draft) };
}
