import { contactFieldNames, type ContactFields } from '../../../shared/contact/contact-schema.ts';
import { findSpamDoubts } from '../../../shared/contact/spam-doubts.ts';
import type { SpamSignals } from '../../../shared/contact/spam-signals.ts';
import { apiPaths } from '../../../shared/paths.ts';
import { postForm, type FormResult } from '../forms/post-form.ts';
import { getPart } from '../forms/read-form-answer.ts';
import { makeUuid } from './make-uuid.ts';
import { proveWorkInTime } from './spam-signals.ts';
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
 * A request that is stored and held because many came before it is sent again with a proof of work,
 * which releases it. One that was in doubt by itself has tried to prove its work already.
 */
async function settleDoubt(
  { fields, about }: OutgoingRequest,
  answer: FormResult,
  id: string,
): Promise<void> {
  if (answer.kind !== 'accepted' || !answer.wantsProof) return;
  if (findSpamDoubts(fields, about.spam.filled_in_ms).length > 0) return;
  const proof = await proveWorkInTime();
  // Whatever comes of it, the request is stored and sales hears of it.
  if (proof) await post({ fields, about: { ...about, spam: { ...about.spam, proof } } }, id);
}

/**
 * Sends a contact request. When its id turns out to be taken by another request, it is sent once
 * more with a new id, which `keepAttempt` gets first. Never rejects.
 */
export async function submitContactRequest(
  request: OutgoingRequest,
  attempt: SubmissionAttempt,
  keepAttempt: (attempt: SubmissionAttempt) => void,
): Promise<FormResult> {
  let { id } = attempt;
  let answer = await post(request, id);
  if (answer.kind === 'refused' && answer.status === ID_CONFLICT) {
    id = makeUuid();
    keepAttempt({ ...attempt, id });
    answer = await post(request, id);
  }
  await settleDoubt(request, answer, id);

  return answer;
}
