import type { Knex } from 'knex';
import type {
  DeliveryKind,
  DeliverySubject,
  FollowUpStage,
  PlannedDelivery,
  ScheduledDelivery,
} from '../../deliveries/delivery.ts';
import { addMs, type Database, type Transaction } from '../database.ts';
import {
  CLAIMABLE_AT,
  DELIVERIES,
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
  /** An earlier try may have been done: its answer was lost, or its worker. */
  readonly maybeDuplicate: boolean;
  /** Why the last try failed; null before the first. */
  readonly lastError: string | null;
}

export type Claim =
  | { readonly outcome: 'claimed'; readonly delivery: ClaimedDelivery }
  /** Not due, waiting after a failure, held back (alone with its kind or with all), or with another worker. */
  | { readonly outcome: 'wait'; readonly waitMs: number }
  /** Sent, cancelled, dead or gone. */
  | { readonly outcome: 'finished' };

type InsertedDelivery = Pick<DeliveryRow, 'id' | 'kind' | 'stage'>;

function toScheduled(
  rows: readonly InsertedDelivery[],
  plan: readonly PlannedDelivery[],
): ScheduledDelivery[] {
  return rows.map(({ id, kind, stage }) => {
    const planned = plan.find((entry) => entry.kind === kind && entry.stage === stage);

    return { id, kind, delayMs: planned?.dueAfter ?? 0 };
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
      plan.map(({ kind, stage, dueAfter }) => ({
        ...subjectColumn,
        kind,
        stage,
        due_at: addMs(transaction, dueAfter),
      })),
    )
    .returning(['id', 'kind', 'stage']);

  return toScheduled(rows, plan);
}

const INSERT_OF_SUBMISSION = `with submission as (?)
  insert into ${DELIVERIES} (submission_id, kind, stage, due_at)
  select submission.id, kind, stage, now() + "dueAfter" * interval '1 millisecond'
  from submission, json_to_recordset(?) as planned (kind text, stage text, "dueAfter" float8)
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
          maybeDuplicate: row.maybe_duplicate,
          lastError: row.last_error,
        },
      }
    : explainUnclaimed(database, id);
}

async function explainUnclaimed(database: Database, id: string): Promise<Claim> {
  const row = await database<DeliveryRow>(DELIVERIES)
    .where({ id })
    .whereIn('state', ['pending', 'leased'])
    .first<{ wait_ms: number } | undefined>(
      database.raw(
        `${MS_UNTIL(`case state when 'leased' then lease_until else ${CLAIMABLE_AT} end`)} as wait_ms`,
      ),
    );

  return row ? { outcome: 'wait', waitMs: Math.max(0, row.wait_ms) } : { outcome: 'finished' };
}

type Finish = Partial<Omit<DeliveryRow, 'retry_at' | 'sent_at'>> & {
  readonly retry_at?: Knex.Raw;
  readonly sent_at?: Knex.Raw;
};

/** Ends a lease; false when it isn't ours any more, and then nothing changes. */
async function finish(database: Database, claimed: ClaimedDelivery, change: Finish) {
  const count = await database<DeliveryRow>(DELIVERIES)
    .where({ id: claimed.id, state: 'leased', lease_token: claimed.leaseToken })
    .update({ lease_token: null, lease_until: null, ...change } as Knex.DbRecordArr<DeliveryRow>);

  return count === 1;
}

/** Records that the effect happened; `remoteRef` is the other side's name for it. */
export function markDeliverySent(
  database: Database,
  claimed: ClaimedDelivery,
  remoteRef: string | null,
): Promise<boolean> {
  return finish(database, claimed, {
    state: 'sent',
    sent_at: database.raw('now()'),
    remote_ref: remoteRef,
    last_error: null,
  });
}

export interface Postponement {
  readonly delayMs: number;
  readonly error: string;
  /** False when the try says nothing of the delivery. */
  readonly isCounted: boolean;
  readonly maybeDuplicate: boolean;
}

/** Gives the delivery back for another try in `delayMs`. */
export function postponeDelivery(
  database: Database,
  claimed: ClaimedDelivery,
  { delayMs, error, isCounted, maybeDuplicate }: Postponement,
): Promise<boolean> {
  return finish(database, claimed, {
    state: 'pending',
    retry_at: addMs(database, delayMs),
    last_error: error,
    attempts: isCounted ? claimed.attempts : claimed.attempts - 1,
    maybe_duplicate: maybeDuplicate,
  });
}

/**
 * Whether others of the kind went through since this delivery failed for the same reason: then it
 * is not the kind's settings that are wrong.
 */
export async function isOnlyOneRefused(
  database: Database,
  { id, kind }: ClaimedDelivery,
  reason: string,
): Promise<boolean> {
  const row = await database<DeliveryRow>(DELIVERIES)
    .where({ id, last_error: reason })
    .whereRaw(
      `exists (
        select from deliveries other
        where other.kind = ? and other.state = 'sent' and other.sent_at > deliveries.retry_at
      )`,
      [kind],
    )
    .first('id');

  return row !== undefined;
}

/** Gives up (`dead`, an operator has to look) or calls off (`cancelled`, nothing is left to do). */
export function endDelivery(
  database: Database,
  claimed: ClaimedDelivery,
  change: {
    readonly state: 'dead' | 'cancelled';
    readonly error: string;
    readonly maybeDuplicate: boolean;
  },
): Promise<boolean> {
  return finish(database, claimed, {
    state: change.state,
    last_error: change.error,
    maybe_duplicate: change.maybeDuplicate,
  });
}

/** Calls off what is still to be mailed about a submission, or couldn't be; returns the ids. */
export async function cancelFollowUps(
  transaction: Transaction,
  submissionId: string,
): Promise<string[]> {
  const rows = await transaction<DeliveryRow>(DELIVERIES)
    .where({ submission_id: submissionId, kind: 'follow-up' })
    .whereIn('state', ['pending', 'dead'])
    .update({ state: 'cancelled', last_error: 'contacted' })
    .returning('id');

  return rows.map(({ id }) => id);
}
