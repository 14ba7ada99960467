import type { Database, Transaction } from '../database/database.ts';
import { selectInBatches } from '../database/batches.ts';
import { SUBMISSIONS, toSubmission, type Submission, type SubmissionRow } from './contact-submission-store.ts';
import { IS_DUE, IS_HELD, IS_OPEN } from './submission-conditions.ts';

/** What has become of a request, in one word. */
export type SubmissionState = 'erased' | 'quarantined' | 'spam' | 'contacted' | 'open';

/**
 * A request's state; what is both erased and contacted is erased. What is held is `quarantined` until
 * somebody marks it as `spam`.
 */
export function getSubmissionState(
  submission: Pick<Submission, 'anonymisedAt' | 'quarantinedAt' | 'spamAt' | 'contactedAt'>,
): SubmissionState {
  if (submission.anonymisedAt) return 'erased';
  if (submission.quarantinedAt) return submission.spamAt ? 'spam' : 'quarantined';

  return submission.contactedAt ? 'contacted' : 'open';
}

/** Which requests are wanted; those that meet all that is given. */
export interface SubmissionFilter {
  readonly id?: string;
  /** Addresses as they are stored. */
  readonly emails?: readonly string[];
  /** Neither contacted nor held nor erased. */
  readonly isOpen?: boolean;
  /** Open, and the answer was promised within so many milliseconds that have passed. */
  readonly overdueAfter?: number;
  readonly isQuarantined?: boolean;
  readonly since?: Date;
}

function applyFilter(database: Database | Transaction, filter: SubmissionFilter) {
  const query = database<SubmissionRow>(SUBMISSIONS);
  if (filter.id !== undefined) void query.where({ id: filter.id });
  if (filter.emails) void query.whereIn('email', [...filter.emails]);
  if (filter.since) void query.where('received_at', '>=', filter.since);
  if (filter.isQuarantined) void query.whereRaw(IS_HELD);
  if (filter.isOpen || filter.overdueAfter !== undefined) void query.whereRaw(IS_OPEN);
  if (filter.overdueAfter !== undefined) void query.whereRaw(IS_DUE, [filter.overdueAfter]);

  return query;
}

/** The newest requests that pass the filter. */
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

/** How many requests pass the filter. */
export async function countSubmissions(
  database: Database,
  filter: SubmissionFilter,
): Promise<number> {
  const row = await applyFilter(database, filter).first<{ count: number }>(
    database.raw('count(*)::int as count'),
  );

  return row.count;
}

/** Every request that passes the filter, the oldest first, in batches. */
export async function* streamSubmissions(
  database: Database,
  filter: SubmissionFilter,
): AsyncGenerator<Submission[]> {
  const batches = selectInBatches<SubmissionRow>(database, (transaction) =>
    applyFilter(transaction, filter).orderBy(['received_at', 'id']).select('*'),
  );
  for await (const rows of batches) yield rows.map(toSubmission);
}

/** Who wrote which request, of those not yet erased that came before a time. */
export interface SubmissionSubject {
  readonly id: string;
  readonly email: string;
  readonly receivedAt: Date;
}

/** The subject of every request received before `before` and not erased yet, in batches. */
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

/** The addresses among those stored that are wanted, as they are written there. */
export async function findStoredEmails(
  database: Database,
  isWanted: (email: string) => boolean,
): Promise<string[]> {
  const found = new Set<string>();
  const batches = selectInBatches<Pick<SubmissionRow, 'email'>>(database, (transaction) =>
    transaction<SubmissionRow>(SUBMISSIONS).whereNull('anonymised_at').select('email'),
  );
  for await (const rows of batches) {
    for (const { email } of rows) if (isWanted(email)) found.add(email);
  }

  return [...found];
}
