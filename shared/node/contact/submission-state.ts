import type { Database } from '../database/database.ts';
import type { Deadline } from '../response-promise/deadline.ts';
import type { ResponsePromise } from '../response-promise/response-promise.ts';

/** Neither answered nor settled otherwise. The first line is the condition of an index. */
export const IS_OPEN = `contacted_at is null and quarantined_at is null and anonymised_at is null
  and unfit_at is null`;
export const IS_HELD = 'quarantined_at is not null and anonymised_at is null';
/** Held, and nobody has marked it as spam. */
export const IS_UNREVIEWED = `${IS_HELD} and spam_at is null`;
/** Unreviewed, and not listed by any mail to sales. */
export const IS_UNREPORTED = `${IS_UNREVIEWED} and held_mail_id is null`;
/** The start of the time within which an answer is promised. */
export const PROMISED_AT = 'coalesce(released_at, received_at)';

/** SQL of a deadline table's value from the last breakpoint on; the table has milliseconds. */
const findAtBreakpoint = (list: 'waits' | 'latest') =>
  `${list}[width_bucket(date_trunc('milliseconds', ${PROMISED_AT}), starts)]`;

/**
 * SQL of a request's deadline in business time, for queries about `contact_submissions`.
 * @param since when the oldest relevant request was received; six weeks ago unless given
 */
export function selectDeadline(database: Database, deadline: Deadline, since?: Date) {
  const { from, waits, latest } = deadline.toTable(since);
  const toArray = (values: ReadonlyArray<Date | string | number>) =>
    `{${values.map((value) => (value instanceof Date ? value.toISOString() : value)).join()}}`;

  return database.raw(
    `(select least(${PROMISED_AT} + ${findAtBreakpoint('waits')} * interval '1 millisecond', ${findAtBreakpoint('latest')})
      from (select ?::timestamptz[], ?::float8[], ?::timestamptz[]) as deadlines (starts, waits, latest))`,
    [toArray(from), toArray(waits), toArray(latest)],
  );
}

/** Answered, or its time is over; unless its data was erased before. */
export const IS_DECIDED =
  "(contacted_at is not null or ends_at <= least(now(), anonymised_at, unfit_at))";
export const IS_MET = 'contacted_at <= ends_at';

/** The promised time of the answer; a held request's begins at its release. */
export function getAnswerBy(
  { receivedAt, releasedAt }: { readonly receivedAt: Date; readonly releasedAt: Date | null },
  promise: ResponsePromise,
): Date {
  return promise.answer.after(releasedAt ?? receivedAt);
}

type SubmissionState = 'erased' | 'quarantined' | 'spam' | 'contacted' | 'unfit' | 'open';

/** A request's state; erased comes before contacted, and `quarantined` becomes `spam` once marked. */
export function getSubmissionState(submission: {
  readonly anonymisedAt: Date | null;
  readonly quarantinedAt: Date | null;
  readonly spamAt: Date | null;
  readonly contactedAt: Date | null;
  readonly unfitAt: Date | null;
}): SubmissionState {
  if (submission.anonymisedAt) return 'erased';
  if (submission.quarantinedAt) return submission.spamAt ? 'spam' : 'quarantined';

  if (submission.contactedAt) return 'contacted';

  return submission.unfitAt ? 'unfit' : 'open';
}
