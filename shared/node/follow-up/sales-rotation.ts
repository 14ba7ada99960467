import { randomUUID } from 'node:crypto';
import { parseMailAddress } from '../../mailbox.ts';
import { lockSubmission, SUBMISSIONS, type SubmissionRow } from '../contact/contact-submission-store.ts';
import { insertEvent, listEventsOf } from '../contact/submission-events.ts';
import { getSubmissionState } from '../contact/submission-state.ts';
import type { Database, Transaction } from '../database/database.ts';
import { normalizeMailbox } from '../mail/email-address.ts';
import { DeliveryError } from '../outbound/delivery-error.ts';

/*
 * Only this file writes to the table `sales_rotation`, which stores turns and absences. The table contains the
 * normalized addresses from SALES_EMAIL.
 */

const ROTATION = 'sales_rotation';

interface RotationRow {
  address: string;
  last_assigned_at: Date | null;
  away_until: Date | null;
}

/** A salesperson's place in the rotation. */
interface SalesTurn {
  /** As in SALES_EMAIL, without the name. */
  readonly address: string;
  /** When a request was last assigned to this address; null if never. */
  readonly lastAssignedAt: Date | null;
  /** Null if they aren't away. */
  readonly awayUntil: Date | null;
}

/**
 * Lists the sales addresses in turn order: longest without an assignment first, then in the order of SALES_EMAIL.
 * Absent recipients are last.
 * @param sales the SALES_EMAIL mailboxes
 */
export async function listTurns(
  database: Database | Transaction,
  sales: readonly string[],
): Promise<SalesTurn[]> {
  const { rows } = await database.raw<{ rows: SalesTurn[] }>(
    `select mailboxes.address, last_assigned_at as "lastAssignedAt",
      case when away_until > now() then away_until end as "awayUntil"
    from unnest(?::text[], ?::text[]) with ordinality as mailboxes (address, key, position)
    left join ${ROTATION} on ${ROTATION}.address = mailboxes.key
    order by coalesce(away_until > now(), false), last_assigned_at nulls first, position`,
    [sales.map(parseMailAddress), sales.map(normalizeMailbox)],
  );

  return rows;
}

/** Assigns the next turn and returns its address; null if everyone is away. */
async function takeNext(transaction: Transaction, sales: readonly string[]): Promise<string | null> {
  // Lock the table, so that nobody gets a turn twice.
  await transaction.raw(`lock table ${ROTATION} in share row exclusive mode`);
  const [next] = await listTurns(transaction, sales);
  if (!next || next.awayUntil) return null;
  await transaction.raw(
    // This time is later than any other, even if the clock was set back.
    `insert into ${ROTATION} (address, last_assigned_at) values (?, greatest(
      clock_timestamp(), (select max(last_assigned_at) + interval '1 microsecond' from ${ROTATION})
    )) on conflict (address) do update set last_assigned_at = excluded.last_assigned_at`,
    [normalizeMailbox(next.address)],
  );

  return next.address;
}

/**
 * Assigns an open request to the salesperson whose turn it is. Further calls return the same address. If a request
 * already has an assignee, nothing changes and nobody uses up a turn.
 * @param sales the SALES_EMAIL mailboxes
 * @returns the assignee's address; null if all were away (everyone in sales gets it) or the request is held or erased
 * @throws DeliveryError if the request is settled
 */
export function takeTurn(
  database: Database,
  submissionId: string,
  sales: readonly string[],
): Promise<string | null> {
  return database.transaction(async (transaction) => {
    const submission = await lockSubmission(transaction, submissionId);
    const events = await listEventsOf(transaction, submissionId);
    const taken = events.find(({ what }) => what === 'rotate');
    if (taken) return taken.details.to ?? null;
    if (!submission || submission.assignedTo !== null) return submission?.assignedTo ?? null;
    const state = getSubmissionState(submission);
    // Without this check, everyone in sales would get the mail if the outcome were undone before the hand-over.
    if (state === 'contacted' || state === 'unfit') throw new DeliveryError('unwanted', 'not-wanted');
    if (state !== 'open') return null;

    const to = await takeNext(transaction, sales);
    await transaction<SubmissionRow>(SUBMISSIONS).where({ id: submissionId }).update({ assigned_to: to });
    await insertEvent(transaction, {
      id: randomUUID(),
      submissionId,
      by: null,
      what: 'rotate',
      details: to === null ? {} : { to },
    });

    return to;
  });
}

/**
 * Records that a salesperson is away until the end of a day. Replaces an earlier absence.
 * @param lastDay such as `2027-01-07`
 * @returns when they are back; undefined if that day is over, in which case nothing changes
 */
export async function setAbsence(
  database: Database,
  mailbox: string,
  lastDay: string,
  timeZone: string,
): Promise<Date | undefined> {
  const { rows } = await database.raw<{ rows: Array<{ until: Date }> }>(
    `insert into ${ROTATION} (address, away_until)
    select ?, until from (select (?::date + 1)::timestamp at time zone ? as until) as absence where until > now()
    on conflict (address) do update set away_until = excluded.away_until
    returning away_until as until`,
    [normalizeMailbox(mailbox), lastDay, timeZone],
  );

  return rows[0]?.until;
}

/** Ends a salesperson's absence. Returns whether they were away. */
export async function endAbsence(database: Database, mailbox: string): Promise<boolean> {
  const count = await database<RotationRow>(ROTATION)
    .where({ address: normalizeMailbox(mailbox) })
    .where('away_until', '>', database.fn.now())
    .update({ away_until: null });

  return count === 1;
}

/** Deletes addresses that are no longer in SALES_EMAIL. */
export async function deleteFormerSales(database: Database, sales: readonly string[]): Promise<void> {
  await database<RotationRow>(ROTATION).whereNotIn('address', sales.map(normalizeMailbox)).delete();
}
