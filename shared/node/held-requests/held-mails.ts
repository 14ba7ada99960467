import {
  SUBMISSIONS,
  toSubmission,
  type Submission,
  type SubmissionRow,
} from '../contact/contact-submission-store.ts';
import { IS_UNREVIEWED, IS_UNREPORTED } from '../contact/submission-state.ts';
import { lockInTransaction } from '../database/advisory-lock.ts';
import { isOver, nowPlusMs, type Database, type Transaction } from '../database/database.ts';
import { HAS_NO_HOLD } from '../deliveries/delivery-table.ts';
import type { Deferral } from '../mail/mailer.ts';

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
  /** The mail server refused it, for good or again and again, which a stranger's words may be the reason for. */
  readonly wasRefused: boolean;
  /** Who alone is to get it: they refused it for the moment, while others took it. Null: all. */
  readonly recipients: readonly string[] | null;
}

interface ClaimSettings {
  /** Least time between two mails, in milliseconds. */
  readonly interval: number;
  /** In milliseconds. */
  readonly lease: number;
  /** Milliseconds after which those who refused a mail for the moment go without. */
  readonly giveUpAfter: number;
  /** Most requests one mail lists. */
  readonly limit: number;
}

/** SQL that is true where a mail that lists the request was sent longer ago than the days given as parameter. */
export const IS_LISTED_FOR_DAYS = `held_mail_id is not null and not exists (
  select from held_mails
  where held_mails.id = held_mail_id and (sent_at is null or sent_at > now() - make_interval(days => ?))
)`;

/** Which requests a mail lists if there are more than it can: those of a flood, and of programs, last. */
const LIKELY_FIRST =
  "coalesce(quarantine_reasons && array['honeypot', 'network-rate'], false), quarantined_at, id";

/** Creates the next mail when there is something to list and the last one is long enough ago. */
async function createMail(
  transaction: Transaction,
  { interval, limit }: ClaimSettings,
): Promise<void> {
  await transaction.raw(
    `with mail as (
       insert into held_mails (lease_until)
       select now()
       where exists (select from ${SUBMISSIONS} where ${IS_UNREPORTED})
         and not exists (
           select from held_mails
           -- A time ahead of the clock, which was set back, holds up no mail.
           where sent_at is null or sent_at between now() - ? * interval '1 millisecond' and now()
         )
         and ${HAS_NO_HOLD}
       returning id
     )
     update ${SUBMISSIONS} set held_mail_id = mail.id from mail
     where ${SUBMISSIONS}.id in (
       select id from ${SUBMISSIONS} where ${IS_UNREPORTED} order by ${LIKELY_FIRST} limit ?
     )`,
    [interval, limit],
  );
}

/**
 * Claims the mail that is due, if there is one and deliveries are not on hold: one whose lease has
 * expired, or a new one with up to `limit` requests that no mail lists yet; else one for which some of its
 * recipients still wait. Of any number of workers at most one gets it, and at most one mail is pending for all at a
 * time.
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
       where id = (
         select id from held_mails
         where (sent_at is null or recipients is not null and sent_at > ?)
           and ${isOver('lease_until')} and ${HAS_NO_HOLD}
         -- Among mails with deferred recipients the one whose lease ended first, so that a full mailbox, which defers
         -- each mail, delays no other.
         order by sent_at is not null, lease_until limit 1
       )
       returning id, attempts, unanswered, recipients, refused_at is not null as "wasRefused"`,
      [nowPlusMs(transaction, settings.lease), nowPlusMs(transaction, -settings.giveUpAfter)],
    );

    return rows[0];
  });
}

/** The requests a mail is about, in order of arrival, without those that were decided or erased since it was created. */
export async function listRequestsOfMail(database: Database, id: string): Promise<Submission[]> {
  const rows = await database<SubmissionRow>(SUBMISSIONS)
    .where({ held_mail_id: id })
    .whereRaw(IS_UNREVIEWED)
    .orderBy(['quarantined_at', 'id'])
    .select('*');

  return rows.map(toSubmission);
}

/** How many requests no mail lists yet. */
export async function countUnreported(database: Database): Promise<number> {
  const row = await database(SUBMISSIONS)
    .whereRaw(IS_UNREPORTED)
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
    .where({ id, attempts })
    .update({ unanswered: unanswered + 1 });

  return count === 1;
}

/**
 * Records that a mail was sent, or counts as sent; the interval to the next began with the first who got it.
 * Without a deferral nothing is left to do for it.
 */
export async function recordHeldMailSent(
  database: Database,
  { id, unanswered }: ClaimedHeldMail,
  deferral?: Deferral,
): Promise<void> {
  await database('held_mails')
    .where({ id })
    .update({
      sent_at: database.raw('coalesce(sent_at, now())'),
      recipients: null,
      ...(deferral && {
        recipients: [...deferral.recipients],
        lease_until: nowPlusMs(database, deferral.delayMs),
        // This attempt had its response.
        unanswered,
      }),
    });
}

/** Deletes a mail that has nothing to list any more, so that the next one need not wait. */
export async function deleteHeldMail(database: Database, id: string): Promise<void> {
  await database('held_mails').where({ id }).delete();
}

interface FailedAttempt {
  /** Milliseconds until the next. */
  readonly delayMs: number;
  /** The mail server had the whole mail, and its response was lost. */
  readonly isAmbiguous: boolean;
  /** The mail server refused the mail, for good or again and again. */
  readonly isRefused: boolean;
}

/** Releases a mail for another attempt, unless another process has claimed it since. */
export async function rescheduleHeldMail(
  database: Database,
  { id, attempts, unanswered }: ClaimedHeldMail,
  { delayMs, isAmbiguous, isRefused }: FailedAttempt,
): Promise<void> {
  await database('held_mails')
    .where({ id, attempts })
    .update({
      lease_until: nowPlusMs(database, delayMs),
      ...(isAmbiguous ? {} : { unanswered }),
      ...(isRefused ? { refused_at: database.fn.now() } : {}),
    });
}

/** Deletes the mails that were sent more than `months` ago. */
export async function deleteOldHeldMails(database: Database, months: number): Promise<void> {
  await database('held_mails')
    .whereRaw('sent_at < now() - make_interval(months => ?)', [months])
    .delete();
}
