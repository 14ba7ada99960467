import * as v from 'valibot';

/**
 * What is done for an accepted submission, and the mail that asks a subscriber of the newsletter to
 * confirm; each kind has a queue of the same name.
 */
export const deliveryKinds = ['follow-up', 'crm-export', 'newsletter'] as const;
export type DeliveryKind = (typeof deliveryKinds)[number];

/** The three mails of a follow-up. */
export const followUpStages = ['new', 'reminder', 'due'] as const;
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
  /** Of deliveries that are due the lowest goes first; 0 unless given. */
  readonly priority?: number;
}

/** A delivery whose job should wait in its queue. */
export interface ScheduledDelivery {
  readonly id: string;
  readonly kind: DeliveryKind;
  /** Milliseconds from now until it is due. */
  readonly delayMs: number;
  readonly priority: number;
}

/** Job data: the delivery's id and nothing personal. */
export const deliveryJobSchema = v.object({ deliveryId: v.pipe(v.string(), v.uuid()) });
export type DeliveryJob = v.InferOutput<typeof deliveryJobSchema>;

/** The same delivery always has the same job id: no colon, never digits only (BullMQ's rules). */
export function getJobId(deliveryId: string): string {
  return `delivery-${deliveryId}`;
}

/** What `deliveries.priority` can hold. */
const MAX_PRIORITY = 32_767;

/**
 * The same plan for a request that is the `networkRank`th of its network: the first requests of all
 * networks go before a backlog of one.
 */
export function prioritizeDeliveries(
  plan: readonly PlannedDelivery[],
  networkRank: number,
): readonly PlannedDelivery[] {
  const priority = Math.min(Math.max(0, networkRank - 1), MAX_PRIORITY);

  return plan.map((planned) => ({ ...planned, priority }));
}

/** The deliveries of one submission: three mails, and the export, which waits for a CRM if need be. */
export function planDeliveries(settings: {
  readonly reminderAfter: number;
  readonly dueAfter: number;
}): readonly PlannedDelivery[] {
  return [
    { kind: 'follow-up', stage: 'new', dueAfter: 0 },
    { kind: 'follow-up', stage: 'reminder', dueAfter: settings.reminderAfter },
    { kind: 'follow-up', stage: 'due', dueAfter: settings.dueAfter },
    { kind: 'crm-export', stage: null, dueAfter: 0 },
  ];
}
