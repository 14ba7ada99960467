import * as v from 'valibot';
import { Hour, Minute, Second } from '../time.ts';

/** Wait after the first failure, in milliseconds; doubles with each, up to `cap`. */
export interface Backoff {
  readonly first: number;
  readonly cap: number;
}

/** How the deliveries of a kind are processed. */
interface KindRules {
  /** What a delivery is about; the last two are named by `subject` of its row. */
  readonly subject: 'submission' | 'subscription' | 'held batch' | 'report period';
  /** At most once: an attempt whose outcome is unknown is the last. */
  readonly policy: 'at most once' | 'at least once';
  /** Sent only while its request is open. */
  readonly needsOpenRequest: boolean;
  /** Mails leave at MAIL_RATE, calls of another service one a second. */
  readonly pace: 'mails' | 'calls';
  /** Deliveries that one worker processes at a time; each may hold a connection to PostgreSQL (`poolSizes`). */
  readonly concurrency: number;
  readonly backOff: Backoff;
  /** What about a submission an operator who erases it must look for elsewhere; null: nothing, or its batch. */
  readonly leaves: 'mail to sales' | 'mail to visitor' | 'CRM record' | 'chat message' | null;
}

const mailToSales = {
  subject: 'submission',
  policy: 'at least once',
  needsOpenRequest: false,
  pace: 'mails',
  concurrency: 5,
  // A mail goes out within five minutes of the mail server's return.
  backOff: { first: 30 * Second, cap: 4 * Minute },
  leaves: 'mail to sales',
} as const satisfies KindRules;

const mailToVisitor = { ...mailToSales, leaves: 'mail to visitor' } as const;
const call = { ...mailToSales, pace: 'calls' } as const;

/** All kinds of delivery; each has a queue of the same name, and a handler in `jobs/`. */
export const kindRules = {
  'follow-up': { ...mailToSales, needsOpenRequest: true },
  // An export holds a connection to PostgreSQL for its lock as long as the CRM takes.
  'crm-export': { ...call, concurrency: 3, backOff: { first: 30 * Second, cap: 1 * Hour }, leaves: 'CRM record' },
  newsletter: { ...mailToVisitor, subject: 'subscription' },
  // A visitor is better off without an acknowledgment than with two.
  acknowledgment: { ...mailToVisitor, policy: 'at most once', needsOpenRequest: true },
  // An announcement is news: rather a call too many than an hour late.
  chat: { ...call, needsOpenRequest: true, backOff: { first: 30 * Second, cap: 15 * Minute }, leaves: 'chat message' },
  outcome: mailToSales,
  // That an outcome of which there was a mail is undone.
  'outcome-undone': mailToSales,
  'held-requests': { ...mailToSales, subject: 'held batch', concurrency: 1, leaves: null },
  // Another report comes in a week, so a missing one is better than a second one.
  report: { ...mailToSales, subject: 'report period', policy: 'at most once', concurrency: 1, leaves: null },
} as const satisfies Readonly<Record<string, KindRules>>;

export type DeliveryKind = keyof typeof kindRules;
export const deliveryKinds = Object.keys(kindRules) as DeliveryKind[];

/** Makes something for each kind from its rules. */
export const mapKinds = <Value>(make: (rules: KindRules, kind: DeliveryKind) => Value) =>
  Object.fromEntries(deliveryKinds.map((kind) => [kind, make(kindRules[kind], kind)])) as Readonly<
    Record<DeliveryKind, Value>
  >;

const listKinds = (isListed: (rules: KindRules) => boolean) => deliveryKinds.filter((kind) => isListed(kindRules[kind]));

/** Kinds that are sent only while the request is open. */
export const openRequestKinds = listKinds(({ needsOpenRequest }) => needsOpenRequest);

/** Kinds that call another service, which may ask for hours of rest. */
export const callKinds = listKinds(({ pace }) => pace === 'calls');

/** Kinds of which an attempt of unknown outcome is the last. */
export const atMostOnceKinds = listKinds(({ policy }) => policy === 'at most once');

/** The mails of a follow-up. The plan has the first three; a sweep plans `overdue` for each morning after. */
export const followUpStages = ['new', 'reminder', 'due', 'overdue'] as const;
export type FollowUpStage = (typeof followUpStages)[number];

export const deliveryStates = ['pending', 'leased', 'sent', 'cancelled', 'dead'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** What a delivery is about. */
export type DeliverySubject =
  | { readonly submissionId: string }
  | { readonly subscriptionId: string };

/** One thing to do about a subject, as planned when it is accepted. */
export interface PlannedDelivery {
  readonly kind: DeliveryKind;
  readonly stage: FollowUpStage | null;
  /** Milliseconds after the subject was received. */
  readonly dueAfter: number;
}

/** A delivery whose job should wait in its queue. */
export interface ScheduledDelivery {
  readonly id: string;
  readonly kind: DeliveryKind;
  /** Milliseconds from now until it is due. */
  readonly delayMs: number;
}

/** Job data: the delivery's id and nothing personal. */
export const deliveryJobSchema = v.object({ deliveryId: v.pipe(v.string(), v.uuid()) });
export type DeliveryJob = v.InferOutput<typeof deliveryJobSchema>;

/** The same delivery always has the same job id: no colon, never digits only (BullMQ's rules). */
export function getJobId(deliveryId: string): string {
  return `delivery-${deliveryId}`;
}

/** The same plan for a request that is not acknowledged. */
export const withoutAcknowledgment = (plan: readonly PlannedDelivery[]): readonly PlannedDelivery[] =>
  plan.filter(({ kind }) => kind !== 'acknowledgment');

/** Deliveries that the settings may leave out. */
export interface OptionalDeliveries {
  /** Whether the visitor gets a mail that says what happens next. */
  readonly acknowledges: boolean;
  /** Whether the request is announced in a chat. */
  readonly hasChat: boolean;
}

/**
 * The deliveries of one submission: three mails to sales; the export, which waits for a CRM if need be; the mail
 * to the visitor about what happens next; and the announcement, where there is a chat.
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
