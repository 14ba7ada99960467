import { Day } from '../../time.ts';
import type { Database } from '../database/database.ts';
import type { ResponsePromise } from '../response-promise/response-promise.ts';
import { SUBMISSIONS } from './contact-submission-store.ts';
import { SELECT_ANSWERS } from './submission-events.ts';
import { IS_DECIDED, IS_MET, IS_OPEN, IS_UNREVIEWED, PROMISED_AT, selectDeadline } from './submission-state.ts';

export interface ReportPeriod {
  /** First and last day, such as `2026-11-16`. */
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
}

/** How many previous periods of the same length a report uses for comparison. */
export const PREVIOUS_PERIODS = 4;

export interface ReportMetrics {
  readonly requests: number;
  /** Requests that are answered or past their deadline. */
  readonly decided: number;
  /** Requests that were answered in time. */
  readonly metWithin: number;
  readonly answered: number;
  /** Milliseconds from receipt or release to the answer; null if no request was answered. */
  readonly medianMs: number | null;
  readonly percentile90Ms: number | null;
  readonly unfit: number;
  readonly open: number;
  /** Open requests past their deadline. */
  readonly overdue: number;
  /** Unreviewed requests from the period that are held as possible spam. */
  readonly held: number;
}

export interface ReportGroup {
  /** Source, industry, or address of the salesperson who answered; null if unknown. Visitors can forge the source. */
  readonly value: string | null;
  readonly requests: number;
  /** Total for the previous periods. */
  readonly requestsBefore: number;
}

export interface ReportSource extends ReportGroup {
  readonly unfit: number;
  /** Milliseconds from receipt or release to the answer; null if no request was answered. */
  readonly medianMs: number | null;
}

export interface RequestReport {
  readonly period: ReportPeriod;
  readonly metrics: ReportMetrics;
  /** Totals for the previous periods. */
  readonly metricsBefore: ReportMetrics;
  /** By campaign source, or by referring site if there is none. Most frequent first. */
  readonly sources: readonly ReportSource[];
  readonly industries: readonly ReportGroup[];
  /** Answered requests by the salesperson's address; null if the link used doesn't identify anyone. */
  readonly answers: readonly ReportGroup[];
}

/** SQL for the requests in the period and in the previous periods. */
const PROMISES = `
  days as (
    select cast(:from as date) as first, cast(:to as date) + 1 as after, cast(:timeZone as text) as zone
  ),
  bounds as (
    select
      cast(first - ${PREVIOUS_PERIODS} * (after - first) as timestamp) at time zone zone as begins_at,
      cast(first as timestamp) at time zone zone as starts_at,
      cast(after as timestamp) at time zone zone as stops_at
    from days
  ),
  promises as (
    select submissions.*,
      :endsAt as ends_at,
      promised_at >= starts_at as is_current,
      quarantined_at is null as counts
    from (select *, ${PROMISED_AT} as promised_at from ${SUBMISSIONS}) as submissions, bounds
    where promised_at >= begins_at and promised_at < stops_at
      -- Redundant, but lets PostgreSQL use the indexes.
      and (received_at >= begins_at or released_at >= begins_at)
  )`;

const READ_METRICS = `with ${PROMISES}
  select is_current as "isCurrent",
    count(*) filter (where counts)::int as requests,
    count(*) filter (where counts and ${IS_DECIDED})::int as decided,
    count(*) filter (where counts and ${IS_MET})::int as "metWithin",
    count(*) filter (where counts and contacted_at is not null)::int as answered,
    percentile_cont(array[0.5, 0.9]) within group (order by extract(epoch from contacted_at - promised_at) * 1000)
      filter (where counts) as percentiles,
    count(*) filter (where counts and unfit_at is not null)::int as unfit,
    count(*) filter (where ${IS_OPEN})::int as open,
    count(*) filter (where ${IS_OPEN} and ends_at <= now())::int as overdue,
    count(*) filter (where ${IS_UNREVIEWED})::int as held
  from promises group by is_current`;

const COUNT_GROUP = `count(*) filter (where is_current)::int as requests,
    count(*) filter (where not is_current)::int as "requestsBefore"`;

const READ_GROUPS = `with ${PROMISES},
  facts as (
    select is_current, coalesce(source ->> 'utm_source', source ->> 'referrer') as origin, industry,
      unfit_at, contacted_at - promised_at as answered_after
    from promises where counts
  )
  select grouping(origin) = 0 as "isSource", coalesce(origin, industry) as value, ${COUNT_GROUP},
    count(*) filter (where is_current and unfit_at is not null)::int as unfit,
    percentile_cont(0.5) within group (order by extract(epoch from answered_after) * 1000)
      filter (where is_current) as "medianMs"
  from facts group by grouping sets ((origin), (industry))
  order by requests desc, "requestsBefore" desc, value`;

const READ_ANSWERS = `with ${PROMISES}
  select answers.by as value, ${COUNT_GROUP}
  from promises left join (${SELECT_ANSWERS}) as answers on answers.submission_id = promises.id
  where counts and contacted_at is not null
  group by value order by requests desc, "requestsBefore" desc, value`;

type MetricsRow = Omit<ReportMetrics, 'medianMs' | 'percentile90Ms'> & {
  readonly isCurrent: boolean;
  readonly percentiles: readonly number[] | null;
};

const nothing: MetricsRow = {
  isCurrent: false,
  requests: 0,
  decided: 0,
  metWithin: 0,
  answered: 0,
  unfit: 0,
  open: 0,
  overdue: 0,
  held: 0,
  percentiles: null,
};

function pickMetrics(rows: readonly MetricsRow[], isCurrent: boolean): ReportMetrics {
  const row = rows.find((one) => one.isCurrent === isCurrent) ?? nothing;
  const { percentiles, isCurrent: _dropped, ...counts } = row;
  const [medianMs = null, percentile90Ms = null] = percentiles ?? [];

  return { ...counts, medianMs, percentile90Ms };
}

/** Returns a time that is before the first compared period in every time zone. */
function findBeginning({ from, to }: ReportPeriod): Date {
  const first = Date.parse(from);
  const length = Date.parse(to) - first + Day;

  return new Date(first - PREVIOUS_PERIODS * length - Day);
}

/** Reads the report for a period. A request counts on the day it was received or, if it was held, released. */
export async function readRequestReport(
  database: Database,
  period: ReportPeriod,
  { answer }: ResponsePromise,
): Promise<RequestReport> {
  const bindings = { ...period, endsAt: selectDeadline(database, answer, findBeginning(period)) };
  const [metrics, groups, answers] = await Promise.all([
    database.raw<{ rows: MetricsRow[] }>(READ_METRICS, bindings),
    database.raw<{ rows: Array<ReportSource & { readonly isSource: boolean }> }>(READ_GROUPS, bindings),
    database.raw<{ rows: ReportGroup[] }>(READ_ANSWERS, bindings),
  ]);
  const industries = groups.rows.filter(({ isSource }) => !isSource);

  return {
    period,
    metrics: pickMetrics(metrics.rows, true),
    metricsBefore: pickMetrics(metrics.rows, false),
    sources: groups.rows.filter(({ isSource }) => isSource).map(({ isSource: _dropped, ...source }) => source),
    industries: industries.map(({ value, requests, requestsBefore }) => ({ value, requests, requestsBefore })),
    answers: answers.rows,
  };
}
