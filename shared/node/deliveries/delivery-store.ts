import type { Knex } from 'knex';
import type {
  DeliveryKind,
  DeliverySubject,
  FollowUpStage,
  PlannedDelivery,
  ScheduledDelivery,
} from '../../deliveries/delivery.ts';
import { addMs, type Database, type Transaction } from '../database/database.ts';
import {
  CLAIMABLE_AT,
  DELIVERIES,
  HAS_PROVIDER,
  IS_NOT_HELD,
  IS_NOT_PAUSED,
  MS_UNTIL,
  READY_AT,
  type DeliveryRow,
} from './delivery-table.ts';

/** A delivery this process alone may carry out until its lease ends. */
export interface ClaimedDelivery {
  readonly id: string;
  /** Null when it is about a subscription. */
  readonly submissionId: string | null;
  /** Null when it is about a submission. */
  readonly subscriptionId: string | null;
  readonly kind: DeliveryKind;
  readonly stage: FollowUpStage | null;
  readonly attempts: number;
  readonly leaseToken: string;
  /** Milliseconds since it was due. */
  readonly overdueMs: number;
  /** Ids on the other side that earlier tries recorded, by step. */
  readonly remoteSteps: Readonly<Record<string, string>>;
  /** Earlier tries that handed a mail over and whose outcome nobody knows. */
  readonly lostAnswers: number;
  /** The one address of sales the mail is for; null for all of them, and for what is no mail. */
  readonly recipient: string | null;
  /** Why the last try failed; null before the first. */
  readonly lastError: string | null;
}

export type Claim =
  | { readonly outcome: 'claimed'; readonly delivery: ClaimedDelivery }
  /** Not due, waiting after a failure, held back (alone with its kind or with all), or with another worker. */
  | { readonly outcome: 'wait'; readonly waitMs: number }
  /** Sent, cancelled, dead or gone; or waiting for a provider, whose start queues it anew. */
  | { readonly outcome: 'finished' };

type InsertedDelivery = Pick<DeliveryRow, 'id' | 'kind' | 'stage'>;

function toScheduled(
  rows: readonly InsertedDelivery[],
  plan: readonly PlannedDelivery[],
): ScheduledDelivery[] {
  return rows.map(({ id, kind, stage }) => {
    const planned = plan.find((entry) => entry.kind === kind && entry.stage === stage);

    return { id, kind, delayMs: planned?.dueAfter ?? 0, priority: planned?.priority ?? 0 };
  });
}

/** Writes the deliveries about a subject in the transaction that writes it. */
export async function insertDeliveries(
  transaction: Transaction,
  subject: DeliverySubject,
  plan: readonly PlannedDelivery[],
): Promise<ScheduledDelivery[]> {
  const subjectColumn =
    'submissionId' in subject
      ? { submission_id: subject.submissionId }
      : { subscription_id: subject.subscriptionId };
  const rows = await transaction<DeliveryRow>(DELIVERIES)
    .insert(
      plan.map(({ kind, stage, dueAfter, priority = 0 }) => ({
        ...subjectColumn,
        kind,
        stage,
        priority,
        due_at: addMs(transaction, dueAfter),
      })),
    )
    .returning(['id', 'kind', 'stage']);

  return toScheduled(rows, plan);
}

const INSERT_OF_SUBMISSION = `with submission as (?)
  insert into ${DELIVERIES} (submission_id, kind, stage, due_at, priority)
  select submission.id, kind, stage, now() + "dueAfter" * interval '1 millisecond', coalesce(priority, 0)
  from submission,
    json_to_recordset(?) as planned (kind text, stage text, "dueAfter" float8, priority smallint)
  returning id, kind, stage`;

/**
 * Writes a submission and its deliveries by one statement, which takes half the time of two. Each
 * connection plans it once, under its name.
 * @param insertion writes the submission and returns its id; with the same SQL each time
 * @returns the deliveries; none when `insertion` wrote nothing
 */
export async function insertDeliveriesOf(
  transaction: Transaction,
  insertion: Knex.QueryBuilder,
  plan: readonly PlannedDelivery[],
): Promise<ScheduledDelivery[]> {
  const { rows } = await transaction
    .raw<{ rows: InsertedDelivery[] }>(INSERT_OF_SUBMISSION, [insertion, JSON.stringify(plan)])
    .options({ name: 'insert-deliveries-of' });

  return toScheduled(rows, plan);
}

/**
 * Takes a due delivery for `leaseMs`, by one conditional update: of any number of workers at
 * most one gets it, and what is sent, cancelled or dead is never taken again.
 */
export async function claimDelivery(
  database: Database,
  id: string,
  lease: { readonly token: string; readonly ms: number },
): Promise<Claim> {
  const [row] = await database<DeliveryRow>(DELIVERIES)
    .where({ id, state: 'pending' })
    .whereRaw(`${READY_AT} <= now()`)
    .whereRaw(IS_NOT_PAUSED)
    .whereRaw(IS_NOT_HELD)
    .update({
      state: 'leased',
      attempts: database.raw('attempts + 1'),
      lease_token: lease.token,
      lease_until: addMs(database, lease.ms),
      handed_over_at: null,
    })
    .returning<Array<DeliveryRow & { overdue_ms: number }>>([
      '*',
      database.raw(`-${MS_UNTIL('due_at')} as overdue_ms`),
    ]);

  return row
    ? {
        outcome: 'claimed',
        delivery: {
          id: row.id,
          submissionId: row.submission_id,
          subscriptionId: row.subscription_id,
          kind: row.kind,
          stage: row.stage,
          attempts: row.attempts,
          leaseToken: lease.token,
          overdueMs: row.overdue_ms,
          remoteSteps: row.remote_steps,
          lostAnswers: row.lost_answers,
          recipient: row.recipient,
          lastError: row.last_error,
        },
      }
    : explainUnclaimed(database, id);
}

async function explainUnclaimed(database: Database, id: string): Promise<Claim> {
  const row = await database<DeliveryRow>(DELIVERIES)
    .where({ id })
    .whereIn('state', ['pending', 'leased'])
    .whereRaw(HAS_PROVIDER)
    .first<{ wait_ms: number } | undefined>(
      database.raw(
        `${MS_UNTIL(`case state when 'leased' then lease_until else ${CLAIMABLE_AT} end`)} as wait_ms`,
      ),
    );

  return row ? { outcome: 'wait', waitMs: Math.max(0, row.wait_ms) } : { outcome: 'finished' };
}

type Finish = Partial<Omit<DeliveryRow, 'retry_at' | 'sent_at' | 'lost_answers'>> & {
  readonly retry_at?: Knex.Raw;
  readonly sent_at?: Knex.Raw;
  readonly lost_answers?: Knex.Raw;
};

/** Ends a lease; false when it isn't ours any more, and then nothing changes. */
async function finish(
  database: Database | Transaction,
  claimed: ClaimedDelivery,
  change: Finish,
): Promise<boolean> {
  const count = await database<DeliveryRow>(DELIVERIES)
    .where({ id: claimed.id, state: 'leased', lease_token: claimed.leaseToken })
    .update({ lease_token: null, lease_until: null, ...change } as Knex.DbRecordArr<DeliveryRow>);

  return count === 1;
}

/** What an effect that happened leaves behind. */
export interface SentDelivery {
  /** The other side's name for it. */
  readonly remoteRef: string | null;
  /** Recipients that refused the mail for the moment, while others took it. */
  readonly deferred: readonly string[];
}

/**
 * Records that the effect happened. Each recipient that was deferred gets a delivery of its own, due
 * as this one and tried again in `retryMs`.
 */
export function markDeliverySent(
  database: Database,
  claimed: ClaimedDelivery,
  { remoteRef, deferred }: SentDelivery,
  retryMs: number,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const isOurs = await finish(transaction, claimed, {
      state: 'sent',
      sent_at: transaction.raw('now()'),
      remote_ref: remoteRef,
      last_error: null,
    });
    if (!isOurs || deferred.length === 0) return isOurs;
    await transaction.raw(
      `insert into deliveries
        (submission_id, kind, stage, due_at, priority, recipient, attempts, retry_at, last_error)
      select submission_id, kind, stage, due_at, priority, deferred, 1, ?, 'recipient-deferred'
      from deliveries, unnest(?::text[]) as deferred
      where id = ?
      on conflict do nothing`,
      [addMs(transaction, retryMs), [...deferred], claimed.id],
    );

    return true;
  });
}

/** How a try failed. */
export interface FailedTry {
  readonly error: string;
  /** The mail was handed over, and nobody knows whether it was taken. */
  readonly isAmbiguous: boolean;
}

const recordDoubt = (database: Database, { error, isAmbiguous }: FailedTry): Finish => ({
  last_error: error,
  ...(isAmbiguous
    ? { maybe_duplicate: true, lost_answers: database.raw('lost_answers + 1') }
    : { handed_over_at: null }),
});

export interface Rescheduling extends FailedTry {
  readonly delayMs: number;
  /** False when the try says nothing of the delivery. */
  readonly isCounted: boolean;
}

/** Gives the delivery back for another try in `delayMs`. */
export function rescheduleDelivery(
  database: Database,
  claimed: ClaimedDelivery,
  { delayMs, isCounted, ...failed }: Rescheduling,
): Promise<boolean> {
  return finish(database, claimed, {
    ...recordDoubt(database, failed),
    state: 'pending',
    retry_at: addMs(database, delayMs),
    attempts: isCounted ? claimed.attempts : claimed.attempts - 1,
  });
}

/** Gives up (`dead`, an operator has to look) or calls off (`cancelled`, nothing is left to do). */
export function endDelivery(
  database: Database,
  claimed: ClaimedDelivery,
  { state, ...failed }: FailedTry & { readonly state: 'dead' | 'cancelled' },
): Promise<boolean> {
  return finish(database, claimed, { ...recordDoubt(database, failed), state });
}
