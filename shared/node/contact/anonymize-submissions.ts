import type { Database, Transaction } from '../database/database.ts';
import { SUBMISSIONS, type SubmissionRow } from './contact-submission-store.ts';

/** What stands for a person who was forgotten; no mail can reach the address (RFC 2606). */
const erased = { name: 'erased', email: 'erased@invalid.example', company: 'erased' } as const;

/**
 * Takes from requests all that points to a person; ids, times and states stay, so that counts do.
 * @returns the ids of those that were not anonymised before
 */
export async function anonymizeSubmissions(
  transaction: Transaction,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await transaction<SubmissionRow>(SUBMISSIONS)
    .whereIn('id', [...ids])
    .whereNull('anonymised_at')
    .update({
      ...erased,
      phone: null,
      industry: null,
      message: null,
      source: null,
      body_hash: null,
      quarantine_reason: null,
      anonymised_at: transaction.fn.now(),
    })
    .returning('id');

  return rows.map(({ id }) => id);
}

const isExpired = (database: Database, months: number) =>
  database<SubmissionRow>(SUBMISSIONS)
    .whereNull('anonymised_at')
    .whereRaw('received_at < now() - make_interval(months => ?)', [months]);

/** A request's place in the order in which they came. */
export type SubmissionPlace = Pick<SubmissionRow, 'id'> & { readonly receivedAt: string };

/**
 * Up to `limit` requests older than `months` that are not anonymised yet, the oldest first.
 * @param after the last one of the batch before: the search begins there, past all that were done
 */
export function listExpiredSubmissions(
  database: Database,
  months: number,
  limit: number,
  after?: SubmissionPlace,
): Promise<SubmissionPlace[]> {
  const expired = isExpired(database, months);
  if (after) void expired.whereRaw('(received_at, id) > (?, ?)', [after.receivedAt, after.id]);

  return expired
    .orderBy(['received_at', 'id'])
    .limit(limit)
    // As text: a Date has milliseconds, PostgreSQL's time microseconds.
    .select<SubmissionPlace[]>('id', database.raw('received_at::text as "receivedAt"'));
}

/** How many requests older than `months` are not anonymised yet; those held as spam have a time of their own. */
export async function countExpiredSubmissions(database: Database, months: number): Promise<number> {
  const row = await isExpired(database, months)
    .whereNull('quarantined_at')
    .first<{ count: number }>(database.raw('count(*)::int as count'));

  return row.count;
}

/** How many requests are neither anonymised yet nor held as spam, whatever their age. */
export async function countIdentifiedSubmissions(database: Database): Promise<number> {
  const row = await database<SubmissionRow>(SUBMISSIONS)
    .whereNull('anonymised_at')
    .whereNull('quarantined_at')
    .first<{ count: number }>(database.raw('count(*)::int as count'));

  return row.count;
}
