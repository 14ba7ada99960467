import type { Outcome } from '../../contact/outcomes.ts';
import { countRows, type Database, type Transaction } from '../database/database.ts';

const EVENTS = 'submission_events';

/** How long anybody with a link can undo the last outcome. A known reader always can. */
export const UNDO_MINUTES = 10;

/** SQL that is true for an event that can still be undone. */
const IS_UNDOABLE = `${EVENTS}.at > now() - make_interval(mins => ${UNDO_MINUTES})`;

/**
 * SQL that is true for a delivery whose event is still in effect. For a delivery that reports an undo, it is true if the
 * event is undone.
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
  /** For `assign`: the new and the previous assignee. For `rotate`: the assignee; missing if everybody was away. */
  readonly to?: string;
  readonly from?: string | null;
  /** For `asked-again`: the new request. */
  readonly requestId?: string;
  /** For `unfit`: the reason that sales gave. */
  readonly reason?: string | null;
  /** For `snooze`: it ends after the promised time, and sales wants no mail before then. */
  readonly isPastPromise?: boolean;
  /** For `snooze`: no due notice is sent at the promised time, maybe because of an earlier snooze. */
  readonly movesNotice?: boolean;
  /** Whether a known reader did it. Missing for events of the site itself. */
  readonly isKnown?: boolean;
}

/**
 * Events of the site itself. `rotate`: the request was assigned in turn. `asked-again`: the same address or company made
 * another request.
 */
const automaticEvents = ['rotate', 'asked-again'] as const;
type AutomaticEvent = (typeof automaticEvents)[number];

const isOutcome = (event: SubmissionEvent): event is OutcomeEvent => !automaticEvents.some((name) => name === event.what);

/** Something that happened to a request. */
export interface SubmissionEvent {
  readonly id: string;
  readonly submissionId: string;
  readonly at: Date;
  /** The address of sales whose link was used; null if the link names nobody. */
  readonly by: string | null;
  readonly what: Outcome | AutomaticEvent;
  /** For `snooze`: its end. */
  readonly until: Date | null;
  readonly details: EventDetails;
  readonly undoneAt: Date | null;
  readonly undoneBy: string | null;
  /** Whether it is less than `UNDO_MINUTES` old, by PostgreSQL's clock. */
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
    // The transaction may have waited since its start.
    at: transaction.raw('clock_timestamp()'),
    by,
    what,
    until: until ?? null,
    details,
  });
}

/** Returns the events of some requests, by request, oldest first. Includes undone events. */
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

/** Returns the events of one request, oldest first. */
export async function listEventsOf(
  database: Database | Transaction,
  submissionId: string,
): Promise<readonly SubmissionEvent[]> {
  return (await listEvents(database, [submissionId])).get(submissionId) ?? [];
}

/** SQL for the address of sales that answered each answered request; null if unknown. */
export const SELECT_ANSWERS = `select submission_id, by from ${EVENTS} where what = 'contacted' and undone_at is null`;

/** Returns the event that a reader can undo: the last one in effect, unless it is too old for an unknown reader. */
export function findUndoable(events: readonly SubmissionEvent[], isKnown: boolean): OutcomeEvent | undefined {
  const last = events
    .filter(isOutcome)
    .findLast(({ undoneAt }) => undoneAt === null);

  return last && (isKnown || last.canBeUndone) ? last : undefined;
}

/** Counts the outcomes of a request within the last 24 hours, including undone ones. */
export const countOutcomesOfDay = (transaction: Transaction, submissionId: string): Promise<number> =>
  countRows(
    transaction(EVENTS)
      .where({ submission_id: submissionId })
      .whereNotIn('what', [...automaticEvents])
      .whereRaw("at > now() - interval '1 day'"),
  );

/** Returns the undone event if its undo was the last change. */
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

/** Deletes the events of erased requests, because they contain reasons and addresses. */
export async function deleteEvents(
  transaction: Transaction,
  submissionIds: readonly string[],
): Promise<void> {
  await transaction(EVENTS)
    .whereIn('submission_id', [...submissionIds])
    .delete();
}
