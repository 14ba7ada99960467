import { lockInTransaction } from '../database/advisory-lock.ts';
import { nowPlusMs, type Database, type Transaction } from '../database/database.ts';
import { HAS_NO_HOLD } from '../deliveries/delivery-table.ts';
import {
  SUBMISSIONS,
  toSubmission,
  type Submission,
  type SubmissionRow,
} from './contact-submission-store.ts';
import { IS_UNDECIDED, IS_UNREPORTED } from './submission-state.ts';

/*
 * The sole owner of the table `held_mails`: the mails to sales about requests held as possible
 * spam. Every time compared here is PostgreSQL's.
 */

/** A mail that this process alone may send until its lease ends. */
export interface ClaimedHeldMail {
  readonly id: string;
  /** This attempt included. */
  readonly attempts: number;
  /** Earlier attempts without a response: the mail may have been accepted. */
  readonly unanswered: number;
}

interface ClaimSettings {
  /** Milliseconds that a request is held before a mail lists it. */
  readonly delay: number;
  /** Least time between two mails, in milliseconds. */
  readonly interval: number;
  /** In milliseconds. */
  readonly lease: number;
  /** Most requests one mail lists. */
  readonly limit: number;
}

/** No mail lists it, and it has been held for the milliseconds given as parameter. */
const IS_TO_BE_LISTED = `${IS_UNREPORTED} and quarantined_at <= now() - ? * interval '1 millisecond'`;

/**
 * Probable requests of people come first: a filled honeypot field is last, before it come requests of a
 * network that sends many, so that a flood delays nothing else. Among equals the oldest is first.
 */
const LIKELY_FIRST = `case
  when quarantine_reason like '%honeypot%' then 2
  when quarantine_reason like '%network-rate%' then 1
  else 0
end, quarantined_at, id`;

/** Creates the next mail when there is something to list and the last one is long enough ago. */
async function createMail(
  transaction: Transaction,
  { delay, interval, limit }: ClaimSettings,
): Promise<void> {
  await transaction.raw(
    `with mail as (
       insert into held_mails (lease_until)
       select now()
       where exists (select from ${SUBMISSIONS} where ${IS_TO_BE_LISTED})
         and not exists (
           select from held_mails
           where sent_at is null or sent_at > now() - ? * interval '1 millisecond'
         )
         and ${HAS_NO_HOLD}
       returning id
     )
     update ${SUBMISSIONS} set held_mail_id = mail.id from mail
     where ${SUBMISSIONS}.id in (
       select id from ${SUBMISSIONS} where ${IS_TO_BE_LISTED} order by ${LIKELY_FIRST} limit ?
     )`,
    [delay, interval, delay, limit],
  );
}

/**
 * Claims the mail that is due, if there is one and deliveries are not on hold: one whose lease has
 * expired, or a new one with up to `limit` requests that no mail lists yet.
 * Of any number of workers at most one gets it, and at most one mail is pending at a time.
 */
export async function claimHeldMail(
  database: Database,
  settings: ClaimSettings,
): Promise<ClaimedHeldMail | undefined> {
  return database.transaction(async (transaction) => {
    await lockInTransaction(transaction, 'held-mails');
    await createMail(transaction, settings);
    const { rows } = await transaction.raw<{ rows: ClaimedHeldMail[] }>(
      `update held_mails
       set attempts = attempts + 1, lease_until = ?
       where sent_at is null and lease_until <= now() and ${HAS_NO_HOLD}
       returning id, attempts, unanswered`,
      [nowPlusMs(transaction, settings.lease)],
    );

    return rows[0];
  });
}

/** The requests a mail is about, without those that were decided or erased since it was created. */
export async function listRequestsOfMail(database: Database, id: string): Promise<Submission[]> {
  const rows = await database<SubmissionRow>(SUBMISSIONS)
    .where({ held_mail_id: id })
    .whereRaw(IS_UNDECIDED)
    .orderByRaw(LIKELY_FIRST)
    .select('*');

  return rows.map(toSubmission);
}

/** How many requests no mail lists yet, of those held for `delay` milliseconds. */
export async function countUnreported(database: Database, delay: number): Promise<number> {
  const row = await database(SUBMISSIONS)
    .whereRaw(IS_TO_BE_LISTED, [delay])
    .first<{ count: number }>(database.raw('count(*)::int as count'));

  return row.count;
}

/**
 * Records that the mail's end is about to be sent: until the server responds, it counts as unanswered.
 * @returns false when another process has claimed the mail since, and it must not be sent
 */
export async function recordHeldMailHandOver(
  database: Database,
  { id, attempts, unanswered }: ClaimedHeldMail,
): Promise<boolean> {
  const count = await database('held_mails')
    .where({ id, attempts, sent_at: null })
    .update({ unanswered: unanswered + 1 });

  return count === 1;
}

/** Records that nothing is left to do for a mail; the interval to the next begins. */
export async function recordHeldMailSent(database: Database, id: string): Promise<void> {
  await database('held_mails').where({ id }).update({ sent_at: database.fn.now() });
}

/** Deletes a mail that has nothing to list any more, so that the next one need not wait. */
export async function deleteHeldMail(database: Database, id: string): Promise<void> {
  await database('held_mails').where({ id }).delete();
}

/**
 * Releases a mail for another attempt in `delayMs`, unless another process has claimed it since.
 * @param isAmbiguous the mail server had the whole mail, and its response was lost
 */
export async function rescheduleHeldMail(
  database: Database,
  { id, attempts, unanswered }: ClaimedHeldMail,
  { delayMs, isAmbiguous }: { readonly delayMs: number; readonly isAmbiguous: boolean },
): Promise<void> {
  await database('held_mails')
    .where({ id, attempts })
    .update({
      lease_until: nowPlusMs(database, delayMs),
      ...(isAmbiguous ? {} : { unanswered }),
    });
}

/** Deletes the mails that were sent more than `months` ago. */
export async function deleteOldHeldMails(database: Database, months: number): Promise<void> {
  await database('held_mails')
    .whereRaw('sent_at < now() - make_interval(months => ?)', [months])
    .delete();
}
