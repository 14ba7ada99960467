/*
 * The states of a request: in SQL, for every query about `contact_submissions`, and in TypeScript.
 */

/** Not answered yet. */
export const IS_OPEN = 'contacted_at is null and quarantined_at is null and anonymised_at is null';
/** Held as possible spam. */
export const IS_HELD = 'quarantined_at is not null and anonymised_at is null';
/** Held, and not marked as spam. */
export const IS_UNDECIDED = `${IS_HELD} and spam_at is null`;
/** Undecided, and not listed by any mail to sales. */
export const IS_UNREPORTED = `${IS_UNDECIDED} and held_mail_id is null`;
/** The start of the time within which an answer is promised. */
export const PROMISED_AT = 'coalesce(released_at, received_at)';
/** That time is over; its parameter is the time in milliseconds. */
export const IS_DUE = `${PROMISED_AT} + ? * interval '1 millisecond' <= now()`;

/**
 * By when the visitor was promised an answer. The time of a request held as possible spam starts at its
 * release: until then nobody could have answered it.
 * @param dueAfterMs promised time in milliseconds; elapsed time, so that 24 hours are as long on the day
 *   the clocks change
 */
export function getAnswerBy(
  { receivedAt, releasedAt }: { readonly receivedAt: Date; readonly releasedAt: Date | null },
  dueAfterMs: number,
): Date {
  return new Date((releasedAt ?? receivedAt).getTime() + dueAfterMs);
}

type SubmissionState = 'erased' | 'quarantined' | 'spam' | 'contacted' | 'open';

/**
 * A request's state; one that is both erased and contacted is erased. A held one is `quarantined` until
 * somebody marks it as `spam`.
 */
export function getSubmissionState(submission: {
  readonly anonymizedAt: Date | null;
  readonly quarantinedAt: Date | null;
  readonly spamAt: Date | null;
  readonly contactedAt: Date | null;
}): SubmissionState {
  if (submission.anonymizedAt) return 'erased';
  if (submission.quarantinedAt) return submission.spamAt ? 'spam' : 'quarantined';

  return submission.contactedAt ? 'contacted' : 'open';
}
