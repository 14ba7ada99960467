import { proofHeader } from '../../../shared/contact/spam-doubts.ts';
import { Second } from '../../../shared/time.ts';
import { readFormAnswer, type FormAnswer, type FormContract } from './read-form-answer.ts';

/** How sending a form ended. */
export type FormResult =
  | FormAnswer
  /** No answer came: what was sent may or may not have arrived. */
  | { readonly kind: 'unanswered'; readonly message: string };

const TIME_LIMIT = 20 * Second;

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') {
    const seconds = TIME_LIMIT / Second;

    return `no answer came within ${seconds} seconds. What you typed is kept; please try again.`;
  }

  return error.message || error.name;
}

/** Sends a form's values as JSON. Never rejects. */
export async function postForm(
  path: string,
  values: object,
  contract: FormContract,
): Promise<FormResult> {
  try {
    const response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(values),
      signal: AbortSignal.timeout(TIME_LIMIT),
    });

    const answer = readFormAnswer(response.status, await response.text(), contract);
    const wantsProof = response.headers.has(proofHeader);

    return answer.kind === 'accepted' && wantsProof ? { ...answer, wantsProof } : answer;
  } catch (error) {
    return { kind: 'unanswered', message: describeFailure(error) };
  }
}
