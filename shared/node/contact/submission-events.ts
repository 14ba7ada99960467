import type { Outcome } from '../../contact/outcomes.ts';
import { countRows, type Database, type Transaction } from '../database/database.ts';

const EVENTS = 'submission_events';

/** How long anyone with a link can undo the last outcome. A known reader can undo it at any time. */
export const UNDO_MINUTES = 10;

/** SQL condition for events that unknown readers can still undo. */
const IS_UNDOABLE = `${EVENTS}.at > now() - make_interval(mins => ${UNDO_MINUTES})`;

/**
 * SQL condition for deliveries whose event is still in effect. For a delivery that reports an undo, the event must have
 * been undone instead.
 */
export const CAUSE_IS_NOT_UNDONE = `exists (
  select from ${EVENTS} as cause
  where cause.id = event_id and (cause.undone_at is null) = (kind <> 'outcome-undone')
    and (kind in ('outcome', 'outcome-undone') or not exists (
    select from ${EVENTS} as later
    where later.submission_id = cause.submission_id and later.what = cause.what
      and later.position > cause.position and later.undone_at is null
  ))
)`;

interface EventDetails {
  /** For `assign`: the new and the previous assignee. For `rotate`: the assignee; missing if everyone was away. */
  readonly to?: string;
  readonly from?: string | null;
  /** For `asked-again`: the new request. */
  readonly requestId?: string;
  /** For `unfit`: the reason sales gave. */
  readonly reason?: string | null;
  /** For `snooze`: whether it ends after the promised time and sales wants no mail before it ends. */
  readonly isPastPromise?: boolean;
  /** For `snooze`: whether the due notice is delayed past the promised time, possibly by an earlier snooze. */
  readonly movesNotice?: boolean;
  /** Whether a known reader caused the event. Missing for automatic events. */
  readonly isKnown?: boolean;
}

/**
 * Events that the site records on its own. `rotate`: the request was assigned by rotation. `asked-again`: another
 * request came from the same address or company.
 */
const automaticEvents = ['rotate', 'asked-again'] as const;
type AutomaticEvent = (typeof automaticEvents)[number];

const isOutcome = (event: SubmissionEvent): event is OutcomeEvent => !automaticEvents.some((name) => name === event.what);

/** Something that happened to a request. */
export interface SubmissionEvent {
  readonly id: string;
  readonly submissionId: string;
  readonly at: Date;
  /** Address of the salesperson whose link was used; null if the link doesn't identify anyone. */
  readonly by: string | null;
  readonly what: Outcome | AutomaticEvent;
  /** For `snooze`: when it ends. */
  readonly until: Date | null;
  readonly details: EventDetails;
  readonly undoneAt: Date | null;
  readonly undoneBy: string | null;
  /** Whether the event is less than `UNDO_MINUTES` old, by PostgreSQL's clock. */
  readonly canBeUndone: boolean;
}

export type OutcomeEvent = SubmissionEvent & { readonly what: Outcome };

type NewEvent = Pick<SubmissionEvent, 'id' | 'submissionId' | 'by' | 'what' | 'details'> & {
  readonly until?: Date;
};

/** Inserts an event in the transaction that causes it. */
export async function insertEvent(
  transaction: Transaction,
  { id, submissionId, by, what, until, details }: NewEvent,
): Promise<void> {
  await transaction(EVENTS).insert({
    id,
    submission_id: submissionId,
    // `now()` would be the start of the transaction, which may have waited for a lock.
    at: transaction.raw('clock_timestamp()'),
    by,
    what,
    until: until ?? null,
    details,
  });
}

/** Returns the events of several requests, grouped by request, oldest first. Includes undone events. */
export async function listEvents(
  database: Database | Transaction,
  submissionIds: readonly string[],
): Promise<ReadonlyMap<string, readonly SubmissionEvent[]>> {
  const rows = await database(EVENTS)
    .whereIn('submission_id', [...submissionIds])
    .orderBy('position')
    .select<SubmissionEvent[]>(
      ...['id', 'submission_id as submissionId', 'at', 'by', 'what', 'until', 'details'],
      ...['undone_at as undoneAt', 'undone_by as undoneBy'],
      database.raw(`${IS_UNDOABLE} as "canBeUndone"`),
    );
  const found = new Map<string, SubmissionEvent[]>(submissionIds.map((id) => [id, []]));
  for (const event of rows) found.get(event.submissionId)?.push(event);

  return found;
}

/** Returns a request's events, oldest first. */
export async function listEventsOf(
  database: Database | Transaction,
  submissionId: string,
): Promise<readonly SubmissionEvent[]> {
  return (await listEvents(database, [submissionId])).get(submissionId) ?? [];
}

/** SQL for the address of the salesperson who answered each request; null if unknown. */
export const SELECT_ANSWERS = `select submission_id, by from ${EVENTS} where what = 'contacted' and undone_at is null`;

/** Returns the event a reader can undo: the last outcome in effect, unless the reader is unknown and it is too old. */
export function findUndoable(events: readonly SubmissionEvent[], isKnown: boolean): OutcomeEvent | undefined {
  const last = events
    .filter(isOutcome)
    .findLast(({ undoneAt }) => undoneAt === null);

  return last && (isKnown || last.canBeUndone) ? last : undefined;
}

/** Counts a request's outcomes in the last 24 hours, including undone ones. */
export const countOutcomesOfDay = (transaction: Transaction, submissionId: string): Promise<number> =>
  countRows(
    transaction(EVENTS)
      .where({ submission_id: submissionId })
      .whereNotIn('what', [...automaticEvents])
      .whereRaw("at > now() - interval '1 day'"),
  );

/** Returns the event that was undone last; undefined if another event came after the undo. */
export function findLastUndone(events: readonly SubmissionEvent[]): SubmissionEvent | undefined {
  const last = Math.max(...events.map(({ at, undoneAt }) => (undoneAt ?? at).getTime()));

  return events.find(({ undoneAt }) => undoneAt?.getTime() === last);
}

/** Records that an event was undone. */
export async function markEventUndone(
  transaction: Transaction,
  id: string,
  by: string | null,
): Promise<void> {
  await transaction(EVENTS)
    .where({ id })
    .update({ undone_at: transaction.raw('clock_timestamp()'), undone_by: by });
}

/** Deletes the events of erased requests, because events contain reasons and addresses. */
export async function deleteEvents(
  transaction: Transaction,
  submissionIds: readonly string[],
): Promise<void> {
  await transaction(EVENTS)
    .whereIn('submission_id', [...submissionIds])
    .delete();
}
