import { randomUUID } from 'node:crypto';
import { parseMailAddress } from '../../mailbox.ts';
import { lockSubmission, SUBMISSIONS, type SubmissionRow } from '../contact/contact-submission-store.ts';
import { insertEvent, listEventsOf } from '../contact/submission-events.ts';
import { getSubmissionState } from '../contact/submission-state.ts';
import type { Database, Transaction } from '../database/database.ts';
import { normalizeMailbox } from '../mail/email-address.ts';

/*
 * The sole owner of the table `sales_rotation`: whose turn it is, and who is away. Its addresses are those of
 * SALES_EMAIL in the form that compares.
 */

const ROTATION = 'sales_rotation';

interface RotationRow {
  address: string;
  last_assigned_at: Date | null;
  away_until: Date | null;
}

/** One of sales, in the rotation. */
interface SalesTurn {
  /** As in SALES_EMAIL, without a name. */
  readonly address: string;
  /** When a request was last given to this address; null before the first. */
  readonly lastAssignedAt: Date | null;
  /** Null for whoever is not away now. */
  readonly awayUntil: Date | null;
}

/**
 * The addresses of sales in the order in which they get the next requests: whoever waited longest comes first, of
 * those who had no turn the first of SALES_EMAIL; whoever is away comes last.
 * @param sales the mailboxes of SALES_EMAIL
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

/** Gives the next turn away; null when everybody is away. */
async function takeNext(transaction: Transaction, sales: readonly string[]): Promise<string | null> {
  // One at a time, and each reads what the one before wrote: no turn is taken twice.
  await transaction.raw(`lock table ${ROTATION} in share row exclusive mode`);
  const [next] = await listTurns(transaction, sales);
  if (!next || next.awayUntil) return null;
  await transaction.raw(
    // Later than all others also where the clock was set back.
    `insert into ${ROTATION} (address, last_assigned_at) values (?, greatest(
      clock_timestamp(), (select max(last_assigned_at) + interval '1 microsecond' from ${ROTATION})
    )) on conflict (address) do update set last_assigned_at = excluded.last_assigned_at`,
    [normalizeMailbox(next.address)],
  );

  return next.address;
}

/**
 * Gives an open request to the one of sales whose turn it is, once: every other call finds the same person. One that
 * was handed to somebody before stays theirs, and takes no turn.
 * @param sales the mailboxes of SALES_EMAIL
 * @returns the address of who has the turn; null for all of sales, when everybody was away
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
    const isOpen = submission !== undefined && getSubmissionState(submission) === 'open';
    if (!isOpen || submission.assignedTo !== null) return submission?.assignedTo ?? null;

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
 * Notes that one of sales is away, up to the end of a day; a later call replaces the one before.
 * @param lastDay such as `2027-01-07`
 * @returns when they are back; undefined, and nothing is changed, when that day is over
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

/** Ends the absence of one of sales; returns whether there was one. */
export async function endAbsence(database: Database, mailbox: string): Promise<boolean> {
  const count = await database<RotationRow>(ROTATION)
    .where({ address: normalizeMailbox(mailbox) })
    .where('away_until', '>', database.fn.now())
    .update({ away_until: null });

  return count === 1;
}

/** Forgets whoever is of sales no more. */
export async function deleteFormerSales(database: Database, sales: readonly string[]): Promise<void> {
  await database<RotationRow>(ROTATION).whereNotIn('address', sales.map(normalizeMailbox)).delete();
}
