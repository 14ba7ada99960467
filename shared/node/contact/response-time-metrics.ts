import { Day } from '../../time.ts';
import type { Database } from '../database/database.ts';
import type { ResponsePromise } from '../response-promise/response-promise.ts';
import { SUBMISSIONS } from './contact-submission-store.ts';
import {
  IS_DECIDED,
  IS_HELD,
  IS_MET,
  IS_OPEN,
  IS_UNREVIEWED,
  PROMISED_AT,
  selectDeadline,
} from './submission-state.ts';

/** How long a request counts after its receipt or release, in milliseconds. */
const WINDOW = 30 * Day;

export interface ResponseTimeMetrics {
  /** Requests that are answered or past their deadline. */
  readonly decided: number;
  /** Requests that were answered in time. */
  readonly metWithin: number;
  /** Open requests past their deadline. */
  readonly overdue: number;
  /** Open requests between the reminder and the deadline. */
  readonly atRisk: number;
  /** Unreviewed requests of any age that are held as possible spam. */
  readonly quarantined: number;
}

/** Reads the response-time metrics for requests received or released in the last 30 days. */
export async function readResponseTimeMetrics(
  database: Database,
  { answer, reminder }: ResponsePromise,
): Promise<ResponseTimeMetrics> {
  const { rows } = await database.raw<{ rows: [ResponseTimeMetrics] }>(
    `with promises as (
      select
        quarantined_at, spam_at, anonymised_at, contacted_at, unfit_at,
        :endsAt as ends_at, :remindedAt as reminded_at,
        quarantined_at is null and promised_at > now() - :window * interval '1 millisecond' as counts,
        ${IS_OPEN} as is_open
      from (
        select *, ${PROMISED_AT} as promised_at from ${SUBMISSIONS}
        where received_at > now() - :window * interval '1 millisecond'
          or released_at > now() - :window * interval '1 millisecond'
          or (${IS_HELD})
      ) as submissions
    )
    select
      count(*) filter (where counts and ${IS_DECIDED})::int as decided,
      count(*) filter (where counts and ${IS_MET})::int as "metWithin",
      count(*) filter (where counts and is_open and ends_at <= now())::int as overdue,
      count(*) filter (
        where counts and is_open and ends_at > now()
          and reminded_at <= now()
      )::int as "atRisk",
      count(*) filter (where ${IS_UNREVIEWED})::int as quarantined
    from promises`,
    {
      endsAt: selectDeadline(database, answer),
      remindedAt: selectDeadline(database, reminder),
      window: WINDOW,
    },
  );

  return rows[0];
}
