import type { DeliveryKind } from '../../../shared/deliveries/delivery.ts';
import type { ClaimedDelivery } from '../../../shared/node/deliveries/claim-delivery.ts';
import type { Site } from './site.ts';
import type { Gate } from './stepper.ts';

/*
 * The events outside the database: workers' claims, and the mails, exports and announcements that receivers
 * accepted. Events are numbered in order.
 */

/** A delivery that a worker leased. */
export interface Claim {
  readonly deliveryId: string;
  readonly kind: DeliveryKind;
  /** The attempt number passed to its handler. */
  readonly attempt: number;
  /** Number of the event. */
  readonly at: number;
  /** PostgreSQL's time, in milliseconds. */
  readonly time: number;
}

/** A mail, an export or an announcement that the receiver accepted. */
export interface Send {
  readonly deliveryId: string;
  readonly submissionId: string;
  readonly kind: DeliveryKind;
  /** The addresses that received it; empty for an export or an announcement. */
  readonly recipients: readonly string[];
  /** Numbers of events. */
  readonly claimedAt: number;
  readonly composedAt: number;
  /** Number of the event after which a mail or an announcement could no longer be cancelled. */
  readonly handedOverAt: number;
  readonly takenAt: number;
  /** PostgreSQL's time when it was accepted, in milliseconds. */
  readonly time: number;
}

/** The moment a worker starts to hand over a mail or an announcement, whatever the result. */
interface HandOver {
  readonly deliveryId: string;
  /** Number of the event. */
  readonly at: number;
}

export type History = ReturnType<typeof createHistory>;

export function createHistory() {
  let last = 0;
  const claims: Claim[] = [];
  const handOvers: HandOver[] = [];
  const sends: Send[] = [];

  return {
    /** Returns the number of a new event. */
    next: () => {
      last += 1;

      return last;
    },
    claims,
    handOvers,
    sends,
  };
}

/** An attempt's progress. */
type Attempt = Omit<Send, 'recipients' | 'takenAt' | 'time'>;

/** Records the progress of one worker's attempt. */
export function createProgress(site: Site, history: History) {
  let attempt: Attempt | undefined;

  return {
    end: () => {
      attempt = undefined;
    },
    begin: ({ id, submissionId, kind, attempts }: ClaimedDelivery) => {
      const at = history.next();
      history.claims.push({ deliveryId: id, kind, attempt: attempts, at, time: site.readTime() });
      attempt = {
        deliveryId: id,
        submissionId: submissionId ?? '',
        kind,
        claimedAt: at,
        composedAt: Infinity,
        handedOverAt: Infinity,
      };
    },
    /** Called when a gate is reached. */
    reach: (gate: Gate) => {
      if (attempt && gate === 'composed') attempt = { ...attempt, composedAt: history.next() };
      if (attempt && gate === 'handed-over') {
        attempt = { ...attempt, handedOverAt: history.next() };
        history.handOvers.push({ deliveryId: attempt.deliveryId, at: attempt.handedOverAt });
      }
    },
    take: (recipients: readonly string[]) => {
      if (!attempt) return;
      history.sends.push({ ...attempt, recipients, takenAt: history.next(), time: site.readTime() });
    },
  };
}

export type Progress = ReturnType<typeof createProgress>;
