import type { DeliveryKind, DeliveryState, FollowUpStage } from '../../deliveries/delivery.ts';
import { countRows, type Database } from '../database/database.ts';
import { DELIVERIES, HAS_PROVIDER, IS_WANTED, selectMsUntil, type DeliveryRow } from './delivery-table.ts';

export interface ListedDelivery extends Omit<DeliveryRow, 'lease_token'> {
  /** Milliseconds since an unfinished delivery was due. 0 if it is finished or has no provider. */
  readonly overdue_ms: number;
}

const LISTED = [
  ...['id', 'submission_id', 'subscription_id', 'subject', 'kind', 'stage', 'due_at', 'state', 'attempts'],
  ...['lease_until', 'remote_ref', 'last_error', 'sent_at', 'retry_at', 'lease_expiries'],
  ...['remote_steps', 'maybe_duplicate', 'handed_over_at', 'lost_answers', 'recipient', 'event_id', 'swept_from', 'mornings'],
];

const OVERDUE_MS = `case when state in ('pending', 'leased') and ${HAS_PROVIDER} and ${IS_WANTED}
  then greatest(0, -${selectMsUntil('due_at')}) else 0 end`;

/** Selects deliveries that meet all given conditions. */
interface DeliveryFilter {
  /** Default: neither sent nor cancelled. Unwanted deliveries count as cancelled. */
  readonly state?: DeliveryState;
  readonly kind?: DeliveryKind;
  /** Selects unfinished deliveries that are past their due time and have a provider. */
  readonly isOverdue?: boolean;
}

function applyFilter(database: Database, { state, kind, isOverdue }: DeliveryFilter) {
  const query = database<DeliveryRow>(DELIVERIES);
  if (state) void query.where({ state });
  else void query.whereIn('state', ['pending', 'leased', 'dead']);
  if (state !== 'sent' && state !== 'cancelled') void query.whereRaw(IS_WANTED);
  if (kind) void query.where({ kind });
  if (isOverdue) {
    void query
      .whereIn('state', ['pending', 'leased'])
      .whereRaw('due_at < now()')
      .whereRaw(HAS_PROVIDER);
  }

  return query;
}

/** Lists deliveries that match the filter, ordered by due time. */
export async function listDeliveries(
  database: Database,
  filter: DeliveryFilter,
  limit: number,
): Promise<ListedDelivery[]> {
  return applyFilter(database, filter)
    .orderBy(['due_at', 'id'])
    .limit(limit)
    .select<ListedDelivery[]>(...LISTED, database.raw(`${OVERDUE_MS} as overdue_ms`));
}

/** Counts the deliveries that match the filter. */
export const countDeliveries = (database: Database, filter: DeliveryFilter): Promise<number> =>
  countRows(applyFilter(database, filter));

/** Returns all deliveries of the given submissions, by submission id, ordered by due time. */
export async function listDeliveriesOf(
  database: Database,
  submissionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ListedDelivery[]>> {
  const rows = await database<DeliveryRow>(DELIVERIES)
    // One array, because a query has at most 65,535 parameters.
    .whereRaw('submission_id = any(?::uuid[])', [[...submissionIds]])
    .orderBy(['due_at', 'id'])
    .select<ListedDelivery[]>(...LISTED, database.raw(`${OVERDUE_MS} as overdue_ms`));

  const found = new Map<string, ListedDelivery[]>(submissionIds.map((id) => [id, []]));
  for (const row of rows) if (row.submission_id !== null) found.get(row.submission_id)?.push(row);

  return found;
}

export interface FollowUpMail {
  readonly id: string;
  readonly stage: FollowUpStage;
  /** The event that caused the mail; null if it was planned with the request. */
  readonly eventId: string | null;
  /** Null means everyone in sales. */
  readonly recipient: string | null;
  /** Null if it hasn't been sent. */
  readonly sentAt: Date | null;
  /** Whether it has been handed over, so it can no longer be stopped. */
  readonly isUnderWay: boolean;
}

/** Lists all mails to sales about a submission, ordered by due time. */
export async function listFollowUpMails(
  database: Database,
  submissionId: string,
): Promise<FollowUpMail[]> {
  return database<DeliveryRow>(DELIVERIES)
    .where({ submission_id: submissionId, kind: 'follow-up' })
    .orderBy(['due_at', 'id'])
    .select<FollowUpMail[]>(
      ...['id', 'stage', 'event_id as eventId', 'recipient', 'sent_at as sentAt'],
      database.raw(`state = 'leased' and handed_over_at is not null as "isUnderWay"`),
    );
}

interface RunningDeliveries {
  readonly count: number;
  /** Milliseconds until the last lease ends; 0 if there is none. */
  readonly endsInMs: number;
}

/** Counts the leased deliveries of the given submissions. Expired leases don't count. */
export async function countRunningDeliveries(
  database: Database,
  submissionIds: readonly string[],
): Promise<RunningDeliveries> {
  return database<DeliveryRow>(DELIVERIES)
    .whereIn('submission_id', [...submissionIds])
    .where({ state: 'leased' })
    .whereRaw('lease_until > now()')
    .first<RunningDeliveries>(
      database.raw(`count(*)::int as count, coalesce(max(${selectMsUntil('lease_until')}), 0) as "endsInMs"`),
    );
}

/** Returns the states of deliveries by id. Omits unknown ids. */
export async function readDeliveryStates(
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, DeliveryState>> {
  const rows = await database<DeliveryRow>(DELIVERIES).whereIn('id', [...ids]).select('id', 'state');

  return new Map(rows.map(({ id, state }) => [id, state]));
}

export interface DeliveryGroup {
  readonly kind: DeliveryKind;
  readonly stage: FollowUpStage | null;
  readonly state: DeliveryState;
  readonly count: number;
  /** Milliseconds since the oldest delivery was due; negative if none is due yet. */
  readonly oldestDueMs: number;
}

/** Counts deliveries in the given states by kind, stage and state. Omits unfinished deliveries that are unwanted. */
async function countGroups(
  database: Database,
  states: readonly DeliveryState[],
): Promise<DeliveryGroup[]> {
  return database<DeliveryRow>(DELIVERIES)
    .whereIn('state', [...states])
    .whereRaw(`(state in ('sent', 'cancelled') or ${IS_WANTED})`)
    .groupBy('kind', 'stage', 'state')
    .select<DeliveryGroup[]>(
      'kind',
      'stage',
      'state',
      database.raw('count(*)::int as count'),
      database.raw(`-${selectMsUntil('min(due_at)')} as "oldestDueMs"`),
    );
}

/** Counts unfinished and dead deliveries. Uses two queries, because each has its own index. */
export async function countUnfinishedGroups(database: Database): Promise<DeliveryGroup[]> {
  const groups = await Promise.all([
    countGroups(database, ['pending', 'leased']),
    countGroups(database, ['dead']),
  ]);

  return groups.flat();
}

/** Counts sent and cancelled deliveries. Reads the whole table. */
export function countFinishedGroups(database: Database): Promise<DeliveryGroup[]> {
  return countGroups(database, ['sent', 'cancelled']);
}
