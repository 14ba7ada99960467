import type { DeliveryKind, DeliveryState, FollowUpStage } from '../../deliveries/delivery.ts';
import { countRows, type Database } from '../database/database.ts';
import { DELIVERIES, HAS_PROVIDER, IS_WANTED, selectMsUntil, type DeliveryRow } from './delivery-table.ts';

export interface ListedDelivery extends Omit<DeliveryRow, 'lease_token'> {
  /** Milliseconds since an unfinished delivery was due; 0 for all others, and without a provider. */
  readonly overdue_ms: number;
}

const LISTED = [
  ...['id', 'submission_id', 'subscription_id', 'subject', 'kind', 'stage', 'due_at', 'state', 'attempts'],
  ...['lease_until', 'remote_ref', 'last_error', 'sent_at', 'retry_at', 'lease_expiries'],
  ...['remote_steps', 'maybe_duplicate', 'handed_over_at', 'lost_answers', 'recipient', 'event_id', 'swept_from', 'mornings'],
];

const OVERDUE_MS = `case when state in ('pending', 'leased') and ${HAS_PROVIDER} and ${IS_WANTED}
  then greatest(0, -${selectMsUntil('due_at')}) else 0 end`;

/** Which deliveries are wanted; those that meet all that is given. */
interface DeliveryFilter {
  /** Without it: what is neither sent nor cancelled. What is not wanted any more counts as cancelled. */
  readonly state?: DeliveryState;
  readonly kind?: DeliveryKind;
  /** Unfinished and past their due time; what waits for a provider isn't. */
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

/** Deliveries that pass the filter, the first due first. */
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

/** How many deliveries pass the filter. */
export const countDeliveries = (database: Database, filter: DeliveryFilter): Promise<number> =>
  countRows(applyFilter(database, filter));

/** All deliveries about some submissions, by submission, in the order they are due. */
export async function listDeliveriesOf(
  database: Database,
  submissionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly ListedDelivery[]>> {
  const rows = await database<DeliveryRow>(DELIVERIES)
    // One parameter for all: a query has 65,535 at most.
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
  /** What somebody of sales did that made it; null for those of the plan. */
  readonly eventId: string | null;
  /** Null for all of sales. */
  readonly recipient: string | null;
  /** Null for one that is not sent. */
  readonly sentAt: Date | null;
  /** It is handed over and can't be stopped any more. */
  readonly isUnderWay: boolean;
}

/** The mails to sales about a submission, sent or not, in the order they are due. */
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
  /** Milliseconds until the last of their leases ends; 0 when there are none. */
  readonly endsInMs: number;
}

/** How many deliveries about some submissions are leased right now; expired leases don't count. */
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

/** The states of deliveries by id; those that don't exist are missing. */
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
  /** Since the oldest of them was due; below 0 when none is due yet. */
  readonly oldestDueMs: number;
}

/** Those in some states, counted by kind, stage and state, but for unfinished ones that are not wanted any more. */
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

/** What is unfinished or dead: few among many, each with an index of its own. */
export async function countUnfinishedGroups(database: Database): Promise<DeliveryGroup[]> {
  const groups = await Promise.all([
    countGroups(database, ['pending', 'leased']),
    countGroups(database, ['dead']),
  ]);

  return groups.flat();
}

/** What is sent or cancelled. This reads the whole table: not to be run often. */
export function countFinishedGroups(database: Database): Promise<DeliveryGroup[]> {
  return countGroups(database, ['sent', 'cancelled']);
}
