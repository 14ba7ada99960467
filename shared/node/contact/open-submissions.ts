import type { Database } from '../database/database.ts';
import type { ResponsePromise } from '../response-promise/response-promise.ts';
import { SUBMISSIONS, type Submission } from './contact-submission-store.ts';
import { IS_HELD, IS_OPEN, IS_UNREVIEWED, PROMISED_AT, selectDeadline } from './submission-state.ts';

/** A request that is not answered yet. */
export type OpenSubmission = Pick<
  Submission,
  'id' | 'name' | 'company' | 'receivedAt' | 'releasedAt' | 'assignedTo'
> & {
  /** Whether the promised time has passed, by PostgreSQL's clock. */
  readonly isOverdue: boolean;
};

/** Requests that are not answered yet, with their counts. */
export interface OpenSubmissions {
  /** By the time of the promise, so that overdue ones come first. */
  readonly first: readonly OpenSubmission[];
  readonly openCount: number;
  readonly overdueCount: number;
  /** Held as possible spam and unreviewed. */
  readonly heldCount: number;
}

interface Counts {
  readonly open_count: number;
  readonly overdue_count: number;
  readonly held_count: number;
}

/** The requests nobody has marked as contacted, `limit` of them in full. */
export async function listOpenSubmissions(
  database: Database,
  { promise, limit }: { readonly promise: ResponsePromise; readonly limit: number },
): Promise<OpenSubmissions> {
  const submissions = () => database(SUBMISSIONS);
  const answerBy = selectDeadline(database, promise.answer);
  // Without the conditions every request would be read.
  const counts = await submissions().whereRaw(`(${IS_OPEN}) or (${IS_HELD})`).first<Counts>(
    database.raw(`(count(*) filter (where ${IS_OPEN}))::int as open_count`),
    database.raw(`(count(*) filter (where ${IS_OPEN} and ? <= now()))::int as overdue_count`, [
      answerBy,
    ]),
    database.raw(`(count(*) filter (where ${IS_UNREVIEWED}))::int as held_count`),
  );
  const first = await submissions()
    .whereRaw(IS_OPEN)
    .orderByRaw(`${PROMISED_AT}, id`)
    .limit(limit)
    .select<OpenSubmission[]>(
      'id',
      'name',
      'company',
      'received_at as receivedAt',
      'released_at as releasedAt',
      'assigned_to as assignedTo',
      database.raw('? <= now() as "isOverdue"', [answerBy]),
    );

  return {
    first,
    openCount: counts.open_count,
    overdueCount: counts.overdue_count,
    heldCount: counts.held_count,
  };
}
