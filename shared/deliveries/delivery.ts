import * as v from 'valibot';

/**
 * What is done for an accepted submission, and the mail that asks a subscriber of the newsletter to
 * confirm; each kind has a queue of the same name.
 */
export const deliveryKinds = ['follow-up', 'crm-export', 'newsletter', 'acknowledgment', 'chat', 'outcome'] as const;
export type DeliveryKind = (typeof deliveryKinds)[number];

/**
 * Kinds that are sent only while the request is open: settling it cancels them, and undoing that returns them to
 * pending.
 */
export const openRequestKinds: readonly DeliveryKind[] = ['follow-up', 'acknowledgment', 'chat'];

/**
 * Kinds of which an attempt of unknown outcome is the last: a visitor is better off without an acknowledgment
 * than with two.
 */
export const atMostOnceKinds: readonly DeliveryKind[] = ['acknowledgment'];

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
