import type { DeliveryKind } from '../../../shared/deliveries/delivery.ts';

/*
 * The events outside the database: the claims of workers, and the mails, exports and announcements that receivers
 * took. Events are numbered in their order.
 */

/** A delivery that a worker leased. */
export interface Claim {
  readonly deliveryId: string;
  readonly kind: DeliveryKind;
  /** The attempt number that its handler got. */
  readonly attempt: number;
  /** Number of the event. */
  readonly at: number;
  /** PostgreSQL's time, in milliseconds. */
  readonly time: number;
}

/** A mail, an export or an announcement that the receiver took. */
export interface Send {
  readonly deliveryId: string;
  readonly submissionId: string;
  readonly kind: DeliveryKind;
  /** The addresses that got it; empty for an export or an announcement. */
  readonly recipients: readonly string[];
  /** Numbers of events. */
  readonly claimedAt: number;
  readonly composedAt: number;
  /** Number of the event after which a mail or an announcement could no longer be cancelled. */
  readonly handedOverAt: number;
  readonly takenAt: number;
  /** PostgreSQL's time when it was taken, in milliseconds. */
  readonly time: number;
}

/** A mail or an announcement that was about to be handed over, with any result. */
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
