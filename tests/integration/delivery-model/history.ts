import type { DeliveryKind } from '../../../shared/deliveries/delivery.ts';

/*
 * What happened outside the database: what workers claimed, and what the mail server and the CRM took. Events
 * are numbered in their order.
 */

/** A delivery that a worker leased. */
export interface Claim {
  readonly deliveryId: string;
  readonly kind: DeliveryKind;
  /** The number its handler was given. */
  readonly attempt: number;
  /** Number of the event. */
  readonly at: number;
  /** PostgreSQL's time, in milliseconds. */
  readonly time: number;
}

/** A mail, an export or an announcement that the other side took. */
export interface Send {
  readonly deliveryId: string;
  readonly submissionId: string;
  readonly kind: DeliveryKind;
  /** Who has it: addresses of sales, or none for what is no mail. */
  readonly recipients: readonly string[];
  /** Numbers of events. */
  readonly claimedAt: number;
  readonly composedAt: number;
  /** Of a mail or an announcement: the last instant at which it could have been cancelled. */
  readonly handedOverAt: number;
  readonly takenAt: number;
  /** PostgreSQL's time when it was taken, in milliseconds. */
  readonly time: number;
}

/** A mail or an announcement that was about to be handed over, whatever became of it. */
interface HandOver {
  readonly deliveryId: string;
  /** Number of the event. */
  readonly at: number;
}

export interface History {
  /** The number of a new event. */
  readonly next: () => number;
  readonly claims: Claim[];
  readonly handOvers: HandOver[];
  readonly sends: Send[];
}

export function createHistory(): History {
  let last = 0;

  return {
    next: () => {
      last += 1;

      return last;
    },
    claims: [],
    handOvers: [],
    sends: [],
  };
}
