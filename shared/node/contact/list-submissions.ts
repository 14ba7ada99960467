import { countRows, type Database, type Transaction, selectInBatches } from '../database/database.ts';
import type { ResponsePromise } from '../response-promise/response-promise.ts';
import { SUBMISSIONS, toSubmission, type Submission, type SubmissionRow } from './contact-submission-store.ts';
import { IS_HELD, IS_OPEN, selectDeadline, IS_UNREVIEWED } from './submission-state.ts';

/** Selects the requests that meet every given condition. */
export interface SubmissionFilter {
  readonly id?: string;
  readonly emails?: readonly string[];
  /** Not contacted, unfit, held or erased. */
  readonly isOpen?: boolean;
  /** Open, and past the deadline of this promise. */
  readonly overdueBy?: ResponsePromise;
  readonly isQuarantined?: boolean;
  readonly since?: Date;
}

function applyFilter(database: Database | Transaction, filter: SubmissionFilter) {
  const query = database<SubmissionRow>(SUBMISSIONS);
  if (filter.id !== undefined) void query.where({ id: filter.id });
  if (filter.emails) void query.whereIn('email', [...filter.emails]);
  if (filter.since) void query.where('received_at', '>=', filter.since);
  if (filter.isQuarantined) void query.whereRaw(IS_HELD);
  if (filter.isOpen || filter.overdueBy) void query.whereRaw(IS_OPEN);
  if (filter.overdueBy) {
    void query.whereRaw('? <= now()', [selectDeadline(database, filter.overdueBy.answer)]);
  }

  return query;
}

/** Lists the newest requests that match the filter. */
export async function listSubmissions(
  database: Database,
  filter: SubmissionFilter,
  limit: number,
): Promise<Submission[]> {
  const rows = await applyFilter(database, filter)
    .orderBy([{ column: 'received_at', order: 'desc' }, { column: 'id' }])
    .limit(limit)
    .select('*');

  return rows.map(toSubmission);
}

/** Counts the requests that match the filter. */
export const countSubmissions = (database: Database, filter: SubmissionFilter): Promise<number> =>
  countRows(applyFilter(database, filter));

/** Yields all requests that match the filter, oldest first, in batches. */
export async function* streamSubmissions(
  database: Database,
  filter: SubmissionFilter,
): AsyncGenerator<Submission[]> {
  const batches = selectInBatches<SubmissionRow>(database, (transaction) =>
    applyFilter(transaction, filter).orderBy(['received_at', 'id']).select('*'),
  );
  for await (const rows of batches) yield rows.map(toSubmission);
}

interface SubmissionSubject {
  readonly id: string;
  readonly email: string;
  readonly receivedAt: Date;
}

/** Yields the id, address and time of each unerased request received before `before`, in batches. */
export async function* streamSubjects(
  database: Database,
  before: Date,
): AsyncGenerator<SubmissionSubject[]> {
  const batches = selectInBatches<SubmissionRow>(database, (transaction) =>
    transaction<SubmissionRow>(SUBMISSIONS)
      .whereNull('anonymised_at')
      .where('received_at', '<', before)
      .select('id', 'email', 'received_at'),
  );
  for await (const rows of batches) {
    yield rows.map(({ id, email, received_at: receivedAt }) => ({ id, email, receivedAt }));
  }
}

interface OpenCounts {
  readonly open: number;
  /** Open and past the promised time, by PostgreSQL's clock. */
  readonly overdue: number;
  /** Held as possible spam and unreviewed. */
  readonly held: number;
}

/** Counts the open requests and the unreviewed held ones. */
export async function countOpenSubmissions(database: Database, promise: ResponsePromise): Promise<OpenCounts> {
  const answerBy = selectDeadline(database, promise.answer);

  // Filtering lets PostgreSQL use indexes. Otherwise it would read all requests.
  return database(SUBMISSIONS).whereRaw(`(${IS_OPEN}) or (${IS_HELD})`).first<OpenCounts>(
    database.raw(`(count(*) filter (where ${IS_OPEN}))::int as open`),
    database.raw(`(count(*) filter (where ${IS_OPEN} and ? <= now()))::int as overdue`, [answerBy]),
    database.raw(`(count(*) filter (where ${IS_UNREVIEWED}))::int as held`),
  );
}
