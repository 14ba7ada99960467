import {
  planDeliveries,
  type OptionalDeliveries,
  type PlannedDelivery,
  type DeliveryKind,
  type ScheduledDelivery,
} from '../../deliveries/delivery.ts';
import { type Transaction, nowPlusMs, type Database } from '../database/database.ts';
import type { ResponsePromise } from '../response-promise/response-promise.ts';
import { Day } from '../../time.ts';
import { insertIfAbsent, type NewSubmission } from '../contact/contact-submission-store.ts';
import { DELIVERIES, selectMsUntil, READY_AT, toScheduled, type DeliveryRow, type ReadyRow } from './delivery-table.ts';

/** Plans a submission's deliveries in the transaction that accepts or releases it. */
export type DeliveryPlanner = (transaction: Transaction) => Promise<readonly PlannedDelivery[]>;

/** Creates the planner. If the promise uses business time, the plan depends on PostgreSQL's current time. */
export function createDeliveryPlanner(
  { answer, reminder, isBusinessTime }: ResponsePromise,
  { acknowledges, hasChat }: OptionalDeliveries,
): DeliveryPlanner {
  const planAt = (now: Date) =>
    planDeliveries({
      acknowledges,
      hasChat,
      reminderAfter: reminder.after(now).getTime() - now.getTime(),
      dueAfter: answer.after(now).getTime() - now.getTime(),
    });
  if (!isBusinessTime) {
    const plan = planAt(new Date(0));

    return async () => plan;
  }

  return async (transaction) => {
    const { rows } = await transaction.raw<{ rows: [{ readonly now: Date }] }>('select now()');

    return planAt(rows[0].now);
  };
}

type InsertedDelivery = Pick<DeliveryRow, 'id' | 'kind' | 'stage'>;

function schedulePlanned(
  rows: readonly InsertedDelivery[],
  plan: readonly PlannedDelivery[],
): ScheduledDelivery[] {
  return rows.map(({ id, kind, stage }) => {
    const planned = plan.find((entry) => entry.kind === kind && entry.stage === stage);

    return { id, kind, delayMs: planned?.dueAfter ?? 0 };
  });
}

/** Inserts a subject's deliveries in the transaction that inserts the subject. */
export async function insertDeliveries(
  transaction: Transaction,
  subject: Pick<DeliveryRow, 'submission_id'> | Pick<DeliveryRow, 'subscription_id'>,
  plan: readonly PlannedDelivery[],
): Promise<ScheduledDelivery[]> {
  const rows = await transaction<DeliveryRow>(DELIVERIES)
    .insert(
      plan.map(({ kind, stage, dueAfter }) => ({
        ...subject,
        kind,
        stage,
        due_at: nowPlusMs(transaction, dueAfter),
      })),
    )
    .returning(['id', 'kind', 'stage']);

  return schedulePlanned(rows, plan);
}

const INSERT_WITH_DELIVERIES = `with submission as (?)
  insert into ${DELIVERIES} (submission_id, kind, stage, due_at)
  select submission.id, kind, stage, now() + "dueAfter" * interval '1 millisecond'
  from submission, json_to_recordset(?) as planned (kind text, stage text, "dueAfter" float8)
  returning id, kind, stage`;

/**
 * Inserts a request and its deliveries in one statement, which takes half as long as two. Returns undefined if the
 * request's id already exists.
 */
export async function insertWithDeliveries(
  transaction: Transaction,
  submission: NewSubmission,
  plan: readonly PlannedDelivery[],
): Promise<ScheduledDelivery[] | undefined> {
  const { rows } = await transaction
    .raw<{ rows: InsertedDelivery[] }>(INSERT_WITH_DELIVERIES, [
      insertIfAbsent(transaction, submission),
      JSON.stringify(plan),
    ])
    .options({ name: 'insert-with-deliveries' });

  return rows.length === 0 ? undefined : schedulePlanned(rows, plan);
}

/** Cancels erased submissions' deliveries and returns how many. Leased ones continue, to record their remote ids. */
export async function cancelErasedDeliveries(
  transaction: Transaction,
  submissionIds: readonly string[],
): Promise<number> {
  return transaction<DeliveryRow>(DELIVERIES)
    .whereIn('submission_id', [...submissionIds])
    .whereIn('state', ['pending', 'dead'])
    .update({ state: 'cancelled', last_error: 'erased' });
}

/**
 * Returns whether a mailbox can't get another mail yet: one is pending or recent, or the daily limit is reached.
 * @param mailbox the `getMailboxKey` of the subscriber's address
 * @param leftAt when the subscriber left. Earlier mails don't delay a new one, because their links are invalid
 */
export async function isNewsletterMailLimitReached(
  transaction: Transaction,
  mailbox: string,
  { pauseMs, perDay }: { readonly pauseMs: number; readonly perDay: number },
  leftAt: Date | null,
): Promise<boolean> {
  const row = await transaction<DeliveryRow>(DELIVERIES)
    .whereRaw('subscription_id in (select id from newsletter_subscriptions where mailbox = ?)', [mailbox])
    .first<{ blocking: number; recent: number }>(
      transaction.raw(
        "count(*) filter (where state in ('pending', 'leased') or due_at > greatest(?, ?::timestamptz))::int as blocking",
        [nowPlusMs(transaction, -pauseMs), leftAt],
      ),
      transaction.raw('count(*) filter (where due_at > ?)::int as recent', [
        nowPlusMs(transaction, -1 * Day),
      ]),
    );

  return row.blocking > 0 || row.recent >= perDay;
}

type RetryChoice =
  | { readonly ids: readonly string[] }
  | { readonly kind: DeliveryKind | undefined };

/** Sets dead deliveries to pending. Earlier attempts count as one, so an export searches before it creates a record. */
export async function requeueDeliveries(
  database: Database,
  choice: RetryChoice,
): Promise<ScheduledDelivery[]> {
  const dead = database<DeliveryRow>(DELIVERIES).where({ state: 'dead' });
  if ('ids' in choice) void dead.whereIn('id', [...choice.ids]);
  else if (choice.kind) void dead.where({ kind: choice.kind });

  const rows = await dead
    .update({
      state: 'pending',
      attempts: database.raw('least(attempts, 1)'),
      lease_expiries: 0,
      lost_answers: 0,
      retry_at: null,
    })
    .returning<ReadyRow[]>(['id', 'kind', database.raw(`${selectMsUntil(READY_AT)} as delay_ms`)]);

  return rows.map(toScheduled);
}

/** Cancels dead deliveries for an operator. Returns the ids of the cancelled ones. */
export async function cancelDeadDeliveries(database: Database, ids: readonly string[]): Promise<string[]> {
  const rows = await database<DeliveryRow>(DELIVERIES)
    .where({ state: 'dead' })
    .whereIn('id', [...ids])
    .update({ state: 'cancelled', last_error: 'given-up' })
    .returning('id');

  return rows.map(({ id }) => id);
}
