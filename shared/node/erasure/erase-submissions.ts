import {
  columnNames,
  submissionColumns,
  SUBMISSIONS,
  type SubmissionRow,
} from '../contact/contact-submission-store.ts';
import { deleteEvents } from '../contact/submission-events.ts';
import { countRows, type Database, type Transaction } from '../database/database.ts';
import { cancelErasedDeliveries } from '../deliveries/delivery-store.ts';
import { AWAITS_EVENT_MAIL } from '../deliveries/delivery-table.ts';

const erased = Object.fromEntries(
  columnNames.flatMap((name) => ('erased' in submissionColumns[name] ? [[name, submissionColumns[name].erased]] : [])),
) as Partial<SubmissionRow>;

/** Removes personal data from requests; returns the ids of those not anonymized before. Ids, times and states stay. */
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

/** Older than `months`, but for what somebody of sales has put off and is still to be reminded of. */
const isExpired = (database: Database, months: number) =>
  database<SubmissionRow>(SUBMISSIONS)
    .whereNull('anonymised_at')
    .whereRaw('received_at < now() - make_interval(months => ?)', [months])
    .whereRaw(`not ${AWAITS_EVENT_MAIL}`);

/** A request's place in the order in which they came. */
export type SubmissionPlace = Pick<SubmissionRow, 'id'> & { readonly receivedAt: string };

/** Up to `limit` requests older than `months` that are not anonymized, the oldest first, from `after` on. */
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

/** How many requests older than `months` are not anonymized yet; without those held as spam, which have a retention of their own. */
export const countExpiredSubmissions = (database: Database, months: number): Promise<number> =>
  countRows(isExpired(database, months).whereNull('quarantined_at'));

/** How many requests are neither anonymized nor held as spam, whatever their age. */
export const countIdentifiedSubmissions = (database: Database): Promise<number> =>
  countRows(database(SUBMISSIONS).whereNull('anonymised_at').whereNull('quarantined_at'));

/** Anonymizes requests with their deliveries and events in one transaction; returns the ids not anonymized before. */
export async function eraseSubmissions(
  database: Database,
  ids: readonly string[],
): Promise<readonly string[]> {
  return database.transaction(async (transaction) => {
    const anonymized = await anonymizeSubmissions(transaction, ids);
    // Also of those anonymized before: a delivery may have been requeued since.
    await cancelErasedDeliveries(transaction, ids);
    await deleteEvents(transaction, ids);

    return anonymized;
  });
}
