import { contactFieldNames, type ContactFields } from '../../../shared/contact/contact-schema.ts';
import type { SpamSignals } from '../../../shared/contact/spam-signals.ts';
import { apiPaths } from '../../../shared/paths.ts';
import { postForm, type FormResult } from '../forms/post-form.ts';
import { getPart } from '../forms/read-form-answer.ts';
import { makeUuid } from './make-uuid.ts';
import type { SubmissionAttempt } from './submission-attempt.ts';

/** Created, and a repeat of what was created before. */
const ACCEPTED: ReadonlySet<number> = new Set([201, 200]);

/** The id was used for another request. */
const ID_CONFLICT = 409;

/** What goes out: what was typed, where the visit came from, and the form's own signals. */
export interface OutgoingRequest {
  readonly fields: ContactFields;
  readonly about: { readonly source: unknown; readonly spam: SpamSignals };
}

const post = ({ fields, about }: OutgoingRequest, id: string) =>
  postForm(
    apiPaths.contactSubmissions,
    { id, ...fields, submitted_at: new Date().toISOString(), ...about },
    {
      fieldNames: contactFieldNames,
      // Only who has read the request can repeat its id.
      isAccepted: (status, body) => ACCEPTED.has(status) && getPart(body, 'id') === id,
    },
  );

/**
 * Sends a contact request. When its id turns out to be taken by another request, it is sent once
 * more with a new id, which `keepAttempt` gets first. Never rejects.
 */
export async function submitContactRequest(
  request: OutgoingRequest,
  attempt: SubmissionAttempt,
  keepAttempt: (attempt: SubmissionAttempt) => void,
): Promise<FormResult> {
  const answer = await post(request, attempt.id);
  if (answer.kind !== 'refused' || answer.status !== ID_CONFLICT) return answer;

  const renewed = { ...attempt, id: makeUuid() };
  keepAttempt(renewed);

  return post(request, renewed.id);
}
