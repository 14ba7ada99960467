import type { Database } from '../database/database.ts';
import type { Deadline } from '../response-promise/deadline.ts';
import type { ResponsePromise } from '../response-promise/response-promise.ts';

/** SQL condition for open requests. The first line matches the condition of an index. */
export const IS_OPEN = `contacted_at is null and quarantined_at is null and anonymised_at is null
  and unfit_at is null`;
export const IS_HELD = 'quarantined_at is not null and anonymised_at is null';
/** SQL condition for held requests that are not marked as spam. */
export const IS_UNREVIEWED = `${IS_HELD} and spam_at is null`;
/** SQL condition for unreviewed requests that no mail to sales has listed yet. */
export const IS_UNREPORTED = `${IS_UNREVIEWED} and held_mail_id is null`;
/** SQL for the time at which the promised response time starts. */
export const PROMISED_AT = 'coalesce(released_at, received_at)';

/**
 * Returns SQL for a request's deadline, for `contact_submissions` queries. It converts the start of the promised time
 * to open time since the table's first span, adds the promised duration, and converts the sum back to a time.
 * @param since when the oldest relevant request was received; default: six weeks ago
 */
export function selectDeadline(database: Database, deadline: Deadline, since?: Date) {
  const { starts, openBefore, duration } = deadline.toTable(since);

  return database.raw(
    `(select starts[last_span] + (open_at_end - open_before[last_span]) * interval '1 millisecond'
      from (select ?::timestamptz[] as starts, ?::float8[] as open_before) as spans,
        lateral (select greatest(date_trunc('milliseconds', ${PROMISED_AT}), starts[1]) as counts_from) as request,
        lateral (select width_bucket(counts_from, starts) as first_span) as beginning,
        lateral (
          -- If the time starts after closing time, the span's entire open time has passed. The last span never closes.
          select open_before[first_span] + least(
            extract(epoch from counts_from - starts[first_span]) * 1000,
            open_before[first_span + 1] - open_before[first_span]
          ) + ? as open_at_end
        ) as duration,
        -- A deadline at closing time doesn't move to the next opening time.
        lateral (select width_bucket(open_at_end - 1, open_before) as last_span) as ending)`,
    [starts, openBefore, duration],
  );
}

/** SQL condition: the request was answered, or its deadline passed before it was erased or marked as unfit. */
export const IS_DECIDED =
  "(contacted_at is not null or ends_at <= least(now(), anonymised_at, unfit_at))";
export const IS_MET = 'contacted_at <= ends_at';

/** Returns the time by which an answer is promised. For a held request, the promised time starts at its release. */
export function getAnswerBy(
  { receivedAt, releasedAt }: { readonly receivedAt: Date; readonly releasedAt: Date | null },
  promise: ResponsePromise,
): Date {
  return promise.answer.after(releasedAt ?? receivedAt);
}

type SubmissionState = 'erased' | 'quarantined' | 'spam' | 'contacted' | 'unfit' | 'open';

/** Returns a request's state. `erased` takes precedence over all others. */
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
