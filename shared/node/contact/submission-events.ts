import type { Outcome } from '../../contact/outcomes.ts';
import { countRows, type Database, type Transaction } from '../database/database.ts';

const EVENTS = 'submission_events';

/** Whoever has a link to a request can undo the last outcome for so long. A known reader always can. */
export const UNDO_MINUTES = 10;

/** SQL that is true for an event that can be undone still, by PostgreSQL's clock. */
const IS_UNDOABLE = `${EVENTS}.at > now() - make_interval(mins => ${UNDO_MINUTES})`;

/** SQL that is true for a delivery whose event stands or is undone, as it says. */
export const CAUSE_STANDS = `exists (
  select from ${EVENTS} as cause
  where cause.id = event_id and (cause.undone_at is null) = (kind <> 'outcome-undone')
    and (kind in ('outcome', 'outcome-undone') or not exists (
    select from ${EVENTS} as later
    where later.submission_id = cause.submission_id and later.what = cause.what
      and later.position > cause.position and later.undone_at is null
  ))
)`;

interface EventDetails {
  /** Of `assign`: who has the request now, and who had it. Of `rotate` the first, missing when everybody was away. */
  readonly to?: string;
  readonly from?: string | null;
  /** Of `asked-again`: the other request. */
  readonly requestId?: string;
  /** Of `unfit`. */
  readonly reason?: string | null;
  /** Of `snooze`: no mail is wanted at the promised time, which is before its end. */
  readonly isPastPromise?: boolean;
  /** Of `snooze`: none comes, maybe because of the choice before. */
  readonly movesNotice?: boolean;
  /** Whether a known reader did it; missing for what no reader did. */
  readonly isKnown?: boolean;
}

/**
 * What the site notes itself: `rotate`, the request was given to one of sales in turn; `asked-again`, the same address or
 * company made another request.
 */
const ownEvents = ['rotate', 'asked-again'] as const;
type OwnEvent = (typeof ownEvents)[number];

const isOutcome = (event: SubmissionEvent): event is OutcomeEvent => !ownEvents.some((own) => own === event.what);

/** Something that happened to a request. */
export interface SubmissionEvent {
  readonly id: string;
  readonly submissionId: string;
  readonly at: Date;
  /** The address of sales whose link was used; null when the link names nobody. */
  readonly by: string | null;
  readonly what: Outcome | OwnEvent;
  /** Of `snooze`: the time chosen. */
  readonly until: Date | null;
  readonly details: EventDetails;
  readonly undoneAt: Date | null;
  readonly undoneBy: string | null;
  /** It is less than `UNDO_MINUTES` old, by PostgreSQL's clock. */
  readonly canBeUndone: boolean;
}

export type OutcomeEvent = SubmissionEvent & { readonly what: Outcome };

type NewEvent = Pick<SubmissionEvent, 'id' | 'submissionId' | 'by' | 'what' | 'details'> & {
  readonly until?: Date;
};

/** Records what was done, with the transaction that does it. */
export async function insertEvent(
  transaction: Transaction,
  { id, submissionId, by, what, until, details }: NewEvent,
): Promise<void> {
  await transaction(EVENTS).insert({
    id,
    submission_id: submissionId,
    // Not the transaction's time, which may have waited for another's end.
    at: transaction.raw('clock_timestamp()'),
    by,
    what,
    until: until ?? null,
    details,
  });
}

/** What was done about some requests, by request, in its order; what was undone too. */
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

/** What was done about one request, in its order. */
export async function listEventsOf(
  database: Database | Transaction,
  submissionId: string,
): Promise<readonly SubmissionEvent[]> {
  return (await listEvents(database, [submissionId])).get(submissionId) ?? [];
}

/** SQL of who answered which request, as far as it is known: a row for each answer that stands, one of a request. */
export const SELECT_ANSWERS = `select submission_id, by from ${EVENTS} where what = 'contacted' and undone_at is null`;

/** The event that can be undone now: the last one that stands. For unknown readers it may be too old. */
export function findUndoable(events: readonly SubmissionEvent[], isKnown: boolean): OutcomeEvent | undefined {
  const last = events
    .filter(isOutcome)
    .findLast(({ undoneAt }) => undoneAt === null);

  return last && (isKnown || last.canBeUndone) ? last : undefined;
}

/** How many outcomes a request had within the last 24 hours, undone ones included. */
export const countOutcomesOfDay = (transaction: Transaction, submissionId: string): Promise<number> =>
  countRows(
    transaction(EVENTS)
      .where({ submission_id: submissionId })
      .whereNotIn('what', [...ownEvents])
      .whereRaw("at > now() - interval '1 day'"),
  );

/** The event whose undoing is the last thing that was done, if that is so. */
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

/** Removes what was done about requests whose data was erased: reasons and addresses are in it. */
export async function deleteEvents(
  transaction: Transaction,
  submissionIds: readonly string[],
): Promise<void> {
  await transaction(EVENTS)
    .whereIn('submission_id', [...submissionIds])
    .delete();
}
