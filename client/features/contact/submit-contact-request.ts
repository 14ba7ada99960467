import type { ContactFields, FieldErrors } from '../../../shared/contact/contact-schema.ts';
import { apiPaths } from '../../../shared/paths.ts';
import { Second } from '../../../shared/time.ts';
import { makeUuid } from './make-uuid.ts';
import { readSubmissionAnswer, type SubmissionAnswer } from './read-submission-answer.ts';
import type { SubmissionAttempt } from './submission-attempt.ts';

/** How the submission of a form ended. */
export type SubmissionResult =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'invalid'; readonly errors: FieldErrors }
  /** The server said no; `detail` is its sentence for the visitor. */
  | { readonly kind: 'refused'; readonly detail: string }
  /** No answer came: the request may or may not have arrived. */
  | { readonly kind: 'unanswered'; readonly message: string };

type PostResult = SubmissionAnswer | Extract<SubmissionResult, { kind: 'unanswered' }>;

const TIME_LIMIT = 20 * Second;

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') {
    const seconds = TIME_LIMIT / Second;

    return `no answer came within ${seconds} seconds. What you typed is kept; please try again.`;
  }

  return error.message || error.name;
}

async function post(fields: ContactFields, id: string): Promise<PostResult> {
  try {
    const response = await fetch(apiPaths.contactSubmissions, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ id, ...fields, submitted_at: new Date().toISOString() }),
      signal: AbortSignal.timeout(TIME_LIMIT),
    });

    return readSubmissionAnswer(response.status, await response.text());
  } catch (error) {
    return { kind: 'unanswered', message: describeFailure(error) };
  }
}

/**
 * Sends a contact request. When its id turns out to be taken by another request, it is sent once
 * more with a new id, which `keepAttempt` gets first. Never rejects.
 */
export async function submitContactRequest(
  fields: ContactFields,
  attempt: SubmissionAttempt,
  keepAttempt: (attempt: SubmissionAttempt) => void,
): Promise<SubmissionResult> {
  const answer = await post(fields, attempt.id);
  if (answer.kind !== 'id-conflict') return answer;

  const renewed = { ...attempt, id: makeUuid() };
  keepAttempt(renewed);
  const secondAnswer = await post(fields, renewed.id);

  return secondAnswer.kind === 'id-conflict'
    ? { kind: 'refused', detail: secondAnswer.detail }
    : secondAnswer;
}
