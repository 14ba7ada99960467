import type { Database, Transaction } from '../database.ts';
import { readInBatches } from '../read-in-batches.ts';
import { SUBMISSIONS, type SubmissionRow } from './contact-submission-store.ts';

/** What stands for a person who was forgotten; no mail can reach the address (RFC 2606). */
const erased = { name: 'erased', email: 'erased@invalid.example', company: 'erased' } as const;

/**
 * Takes from requests all that points to a person; ids, times and states stay, so that counts do.
 * @returns the ids of those that were not anonymised before
 */
export async function anonymiseSubmissions(
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

const isExpired = (database: Database | Transaction, months: number) =>
  database<SubmissionRow>(SUBMISSIONS)
    .whereNull('anonymised_at')
    .whereRaw('received_at < now() - make_interval(months => ?)', [months]);

/**
 * The requests older than `months` that are not anonymised yet, in batches. They are looked for once:
 * each search anew would pass those that the batches before it have anonymised.
 */
export async function* streamExpiredSubmissions(
  database: Database,
  months: number,
): AsyncGenerator<string[]> {
  const batches = readInBatches<Pick<SubmissionRow, 'id'>>(database, (transaction) =>
    isExpired(transaction, months).select('id'),
  );
  for await (const rows of batches) yield rows.map(({ id }) => id);
}

/** How many requests older than `months` are not anonymised yet. */
export async function countExpiredSubmissions(database: Database, months: number): Promise<number> {
  const row = await isExpired(database, months).first<{ count: number }>(
    database.raw('count(*)::int as count'),
  );

  return row.count;
}
