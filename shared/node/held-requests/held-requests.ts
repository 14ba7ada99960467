import type { PlannedDelivery, ScheduledDelivery } from '../../deliveries/delivery.ts';
import {
  clearQuarantine,
  SUBMISSIONS,
  toSubmission,
  type Submission,
  type SubmissionRow,
} from '../contact/contact-submission-store.ts';
import { IS_HELD, IS_UNREPORTED, IS_UNREVIEWED } from '../contact/submission-state.ts';
import { countRows, type Database, type Transaction } from '../database/database.ts';
import { recordPossiblySent } from '../deliveries/delivery-hold.ts';
import { insertDeliveries } from '../deliveries/delivery-store.ts';

/** Days until a held request is erased, counted from the mail that lists it. The privacy policy states this number. */
export const HELD_DAYS = 30;

/** Releases a held request. Returns the deliveries to queue after the commit; undefined if the request isn't held. */
export async function releaseSubmission(
  transaction: Transaction,
  id: string,
  plan: readonly PlannedDelivery[],
): Promise<ScheduledDelivery[] | undefined> {
  const reasons = await clearQuarantine(transaction, id);
  if (!reasons) return undefined;
  const scheduled = await insertDeliveries(transaction, { submission_id: id }, plan);
  if (reasons.includes('restored')) {
    await recordPossiblySent(transaction, transaction.raw('submission_id = ?', [id]));
  }

  return scheduled;
}

/** Marks a held request as spam. It can still be released, but no further mail lists it. */
export async function markSubmissionSpam(database: Database, id: string): Promise<void> {
  await database<SubmissionRow>(SUBMISSIONS)
    .where({ id })
    .whereRaw(IS_UNREVIEWED)
    .update({ spam_at: database.fn.now() });
}

interface HeldCounts {
  readonly count: number;
  /** Number of held requests marked as spam. */
  readonly spamCount: number;
  readonly oldestAt: Date | null;
}

export async function readHeldCounts(database: Database): Promise<HeldCounts> {
  return database(SUBMISSIONS)
    .whereRaw(IS_HELD)
    .first<HeldCounts>(
      database.raw('count(*)::int as count'),
      database.raw('count(spam_at)::int as "spamCount"'),
      database.raw('min(quarantined_at) as "oldestAt"'),
    );
}

/** Returns the undecided requests that a mail lists, in order of arrival. */
export async function listRequestsOfMail(database: Database, mailId: string): Promise<Submission[]> {
  const rows = await database<SubmissionRow>(SUBMISSIONS)
    .where({ held_mail_id: mailId })
    .whereRaw(IS_UNREVIEWED)
    .orderBy(['quarantined_at', 'id'])
    .select('*');

  return rows.map(toSubmission);
}

/** Counts the held requests that haven't been listed in a mail yet. */
export const countUnreported = (database: Database): Promise<number> =>
  countRows(database(SUBMISSIONS).whereRaw(IS_UNREPORTED));

/** SQL condition: the mail that lists the request was sent more than the given number of days ago. */
const IS_LISTED_FOR_DAYS = `held_mail_id is not null and not exists (
  select from deliveries
  where kind = 'held-requests' and subject = held_mail_id::text and recipient is null
    and (state in ('pending', 'leased', 'dead') or coalesce(sent_at, due_at) > now() - make_interval(days => ?))
)`;

const findExpired = (database: Database | Transaction) =>
  database<SubmissionRow>(SUBMISSIONS)
    .whereRaw(IS_HELD)
    .whereRaw('quarantined_at < now() - make_interval(days => ?)', [HELD_DAYS])
    .whereRaw(`(spam_at is not null or ${IS_LISTED_FOR_DAYS})`, [HELD_DAYS]);

/** Returns the ids of requests held and listed for more than `HELD_DAYS`. Locks them until the transaction ends. */
export async function lockExpiredHeld(transaction: Transaction, limit: number): Promise<string[]> {
  const rows = await findExpired(transaction).limit(limit).forUpdate().select('id');

  return rows.map(({ id }) => id);
}

/** Counts requests held and listed for more than `HELD_DAYS`. */
export const countExpiredHeld = (database: Database): Promise<number> => countRows(findExpired(database));
