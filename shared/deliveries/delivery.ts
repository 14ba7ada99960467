import * as v from 'valibot';
import { Hour, Minute, Second } from '../time.ts';

/** Delay after the first failure in milliseconds. Doubles with each failure up to `cap`. */
export interface Backoff {
  readonly first: number;
  readonly cap: number;
}

/** How a kind of delivery is processed. */
interface KindRules {
  /** What a delivery is about. For a held batch or report period, the row's `subject` contains its name. */
  readonly subject: 'submission' | 'subscription' | 'held batch' | 'report period';
  /** After an attempt with an unknown outcome, "at most once" never retries. */
  readonly policy: 'at most once' | 'at least once';
  /** Sent only while the request is open. */
  readonly needsOpenRequest: boolean;
  /** Mails are limited by MAIL_RATE, calls to one a second. */
  readonly pace: 'mails' | 'calls';
  /** Number of deliveries that a worker processes at a time. Each may hold a PostgreSQL connection (`poolSizes`). */
  readonly concurrency: number;
  readonly backOff: Backoff;
  /** Where an erased submission's data may remain outside the database. Null: nowhere, or only in a batch. */
  readonly leaves: 'mail to sales' | 'mail to visitor' | 'CRM record' | 'chat message' | null;
}

const mailToSales = {
  subject: 'submission',
  policy: 'at least once',
  needsOpenRequest: false,
  pace: 'mails',
  concurrency: 5,
  // The next attempt starts at most five minutes after the mail server is back.
  backOff: { first: 30 * Second, cap: 4 * Minute },
  leaves: 'mail to sales',
} as const satisfies KindRules;

const mailToVisitor = { ...mailToSales, leaves: 'mail to visitor' } as const;
const call = { ...mailToSales, pace: 'calls' } as const;

/** Rules for each kind of delivery. Each kind has a queue with the same name and a handler in `jobs/`. */
export const kindRules = {
  'follow-up': { ...mailToSales, needsOpenRequest: true },
  // An export holds a PostgreSQL connection for its lock while it waits for the CRM.
  'crm-export': { ...call, concurrency: 3, backOff: { first: 30 * Second, cap: 1 * Hour }, leaves: 'CRM record' },
  newsletter: { ...mailToVisitor, subject: 'subscription' },
  // No acknowledgment is better than two.
  acknowledgment: { ...mailToVisitor, policy: 'at most once', needsOpenRequest: true },
  // A chat message is urgent: retry more often than for the CRM.
  chat: { ...call, needsOpenRequest: true, backOff: { first: 30 * Second, cap: 15 * Minute }, leaves: 'chat message' },
  outcome: mailToSales,
  // Sent when an outcome that was mailed is undone.
  'outcome-undone': mailToSales,
  'held-requests': { ...mailToSales, subject: 'held batch', concurrency: 1, leaves: null },
  // A missing report is better than a second one. The next one follows in a week.
  report: { ...mailToSales, subject: 'report period', policy: 'at most once', concurrency: 1, leaves: null },
} as const satisfies Readonly<Record<string, KindRules>>;

export type DeliveryKind = keyof typeof kindRules;
export const deliveryKinds = Object.keys(kindRules) as DeliveryKind[];

/** Returns an object with a value for each kind. */
export const mapKinds = <Value>(make: (rules: KindRules, kind: DeliveryKind) => Value) =>
  Object.fromEntries(deliveryKinds.map((kind) => [kind, make(kindRules[kind], kind)])) as Readonly<
    Record<DeliveryKind, Value>
  >;

const listKinds = (isListed: (rules: KindRules) => boolean) => deliveryKinds.filter((kind) => isListed(kindRules[kind]));

/** Kinds that are sent only while the request is open. */
export const openRequestKinds = listKinds(({ needsOpenRequest }) => needsOpenRequest);

/** Kinds that call another service, which may ask us to wait for hours. */
export const callKinds = listKinds(({ pace }) => pace === 'calls');

export const atMostOnceKinds = listKinds(({ policy }) => policy === 'at most once');

/** Stages of the follow-up mails. A plan has the first three. A sweep plans `overdue` for each following morning. */
export const followUpStages = ['new', 'reminder', 'due', 'overdue'] as const;
export type FollowUpStage = (typeof followUpStages)[number];

export const deliveryStates = ['pending', 'leased', 'sent', 'cancelled', 'dead'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** A delivery planned when its subject is accepted. */
export interface PlannedDelivery {
  readonly kind: DeliveryKind;
  readonly stage: FollowUpStage | null;
  /** Milliseconds after the subject was received. */
  readonly dueAfter: number;
}

/** A delivery that needs a job in its queue. */
export interface ScheduledDelivery {
  readonly id: string;
  readonly kind: DeliveryKind;
  /** Milliseconds until it is due. */
  readonly delayMs: number;
}

/** Job data: the delivery's id and no personal data. */
export const deliveryJobSchema = v.object({ deliveryId: v.pipe(v.string(), v.uuid()) });
export type DeliveryJob = v.InferOutput<typeof deliveryJobSchema>;

/** Returns a delivery's job id, within BullMQ's rules: no colons, and not all digits. */
export function getJobId(deliveryId: string): string {
  return `delivery-${deliveryId}`;
}

/** Removes the acknowledgment from a plan. */
export const withoutAcknowledgment = (plan: readonly PlannedDelivery[]): readonly PlannedDelivery[] =>
  plan.filter(({ kind }) => kind !== 'acknowledgment');

/** Settings that add optional deliveries. */
export interface OptionalDeliveries {
  /** Sends the visitor an acknowledgment. */
  readonly acknowledges: boolean;
  /** Announces the request in chat. */
  readonly hasChat: boolean;
}

/**
 * Plans a submission's deliveries: three mails to sales, the export (which waits if there is no CRM), and optionally the
 * acknowledgment and the chat message.
 */
export function planDeliveries(
  settings: OptionalDeliveries & { readonly reminderAfter: number; readonly dueAfter: number },
): readonly PlannedDelivery[] {
  const acknowledgment = { kind: 'acknowledgment', stage: null, dueAfter: 0 } as const;

  return [
    { kind: 'follow-up', stage: 'new', dueAfter: 0 },
    { kind: 'follow-up', stage: 'reminder', dueAfter: settings.reminderAfter },
    { kind: 'follow-up', stage: 'due', dueAfter: settings.dueAfter },
    { kind: 'crm-export', stage: null, dueAfter: 0 },
    ...(settings.acknowledges ? [acknowledgment] : []),
    ...(settings.hasChat ? [{ kind: 'chat', stage: null, dueAfter: 0 } as const] : []),
  ];
}
