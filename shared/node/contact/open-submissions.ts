import type { Database } from '../database.ts';
import type { Submission } from './contact-submission-store.ts';

/** A request that waits for an answer. */
export type OpenSubmission = Pick<
  Submission,
  'id' | 'name' | 'company' | 'receivedAt' | 'releasedAt'
> & {
  /** Whether the promised time has passed, by PostgreSQL's clock. */
  readonly isOverdue: boolean;
};

/** What waits for an answer, with the numbers of all of it. */
export interface OpenSubmissions {
  /** The longest promised first, so that what is overdue comes before all else. */
  readonly first: readonly OpenSubmission[];
  readonly openCount: number;
  readonly overdueCount: number;
  /** Held as possible spam: they wait for an operator, not for sales. */
  readonly heldCount: number;
}

interface Counts {
  readonly open_count: number;
  readonly overdue_count: number;
  readonly held_count: number;
}

const OPEN = 'contacted_at is null and quarantined_at is null and anonymised_at is null';
const HELD = 'quarantined_at is not null and anonymised_at is null';
/** As `getAnswerBy` says it, with the promised milliseconds as parameter. */
const IS_OVERDUE = "coalesce(released_at, received_at) + ? * interval '1 millisecond' <= now()";

/**
 * The requests nobody has marked as contacted, `limit` of them in full.
 * @param dueAfterMs time within which an answer is promised, in milliseconds
 */
export async function listOpenSubmissions(
  database: Database,
  { dueAfterMs, limit }: { readonly dueAfterMs: number; readonly limit: number },
): Promise<OpenSubmissions> {
  const submissions = () => database('contact_submissions');
  const counts = await submissions().first<Counts>(
    database.raw(`(count(*) filter (where ${OPEN}))::int as open_count`),
    database.raw(`(count(*) filter (where ${OPEN} and ${IS_OVERDUE}))::int as overdue_count`, [
      dueAfterMs,
    ]),
    database.raw(`(count(*) filter (where ${HELD}))::int as held_count`),
  );
  const first = await submissions()
    .whereRaw(OPEN)
    .orderByRaw('coalesce(released_at, received_at), id')
    .limit(limit)
    .select<OpenSubmission[]>(
      'id',
      'name',
      'company',
      'received_at as receivedAt',
      'released_at as releasedAt',
      database.raw(`${IS_OVERDUE} as "isOverdue"`, [dueAfterMs]),
    );

  return {
    first,
    openCount: counts.open_count,
    overdueCount: counts.overdue_count,
    heldCount: counts.held_count,
  };
}
