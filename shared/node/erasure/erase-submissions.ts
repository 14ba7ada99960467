import {
  columnNames,
  submissionColumns,
  SUBMISSIONS,
  type SubmissionRow,
} from '../contact/contact-submission-store.ts';
import { deleteEvents } from '../contact/submission-events.ts';
import { countRows, type Database, type Transaction } from '../database/database.ts';
import { cancelErasedDeliveries } from '../deliveries/delivery-store.ts';
import { HAS_PENDING_EVENT_MAIL } from '../deliveries/delivery-table.ts';

const erased = Object.fromEntries(
  columnNames.flatMap((name) => ('erased' in submissionColumns[name] ? [[name, submissionColumns[name].erased]] : [])),
) as Partial<SubmissionRow>;

/** Removes personal data from requests. Returns the ids of the newly anonymized ones. */
async function anonymizeSubmissions(
  transaction: Transaction,
  ids: readonly string[],
): Promise<string[]> {
  const rows = await transaction<SubmissionRow>(SUBMISSIONS)
    .whereIn('id', [...ids])
    .whereNull('anonymised_at')
    .update({ ...erased, anonymised_at: transaction.fn.now() })
    .returning('id');

  return rows.map(({ id }) => id);
}

/** Selects requests older than `months`, except those with a pending mail triggered by an event. */
const selectExpired = (database: Database | Transaction, months: number) =>
  database<SubmissionRow>(SUBMISSIONS)
    .whereNull('anonymised_at')
    .whereRaw('received_at < now() - make_interval(months => ?)', [months])
    .whereRaw(`not ${HAS_PENDING_EVENT_MAIL}`);

/** Returns the ids of requests older than `months` that aren't anonymized, oldest first. Locks them. */
export async function lockExpiredSubmissions(transaction: Transaction, months: number, limit: number): Promise<string[]> {
  const rows = await selectExpired(transaction, months).orderBy('received_at').limit(limit).forUpdate().select('id');

  return rows.map(({ id }) => id);
}

/** Counts requests older than `months` that aren't anonymized. Held requests have their own retention. */
export const countExpiredSubmissions = (database: Database, months: number): Promise<number> =>
  countRows(selectExpired(database, months).whereNull('quarantined_at'));

/** Counts requests of any age that are neither anonymized nor held. */
export const countIdentifiedSubmissions = (database: Database): Promise<number> =>
  countRows(database(SUBMISSIONS).whereNull('anonymised_at').whereNull('quarantined_at'));

/** Anonymizes requests, cancels their deliveries and deletes their events. Returns the newly anonymized ids. */
export async function eraseSubmissions(
  database: Database,
  ids: readonly string[],
): Promise<readonly string[]> {
  return database.transaction(async (transaction) => {
    const anonymized = await anonymizeSubmissions(transaction, ids);
    // Includes requests that were already anonymized, because their deliveries may have been requeued.
    await cancelErasedDeliveries(transaction, ids);
    await deleteEvents(transaction, ids);

    return anonymized;
  });
}
