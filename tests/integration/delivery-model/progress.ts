import type { ClaimedDelivery } from '../../../shared/node/deliveries/claim-delivery.ts';
import type { History, Send } from './history.ts';
import type { Site } from './site.ts';
import type { Gate } from './stepper.ts';

/** The progress of an attempt. */
type Attempt = Omit<Send, 'recipients' | 'takenAt' | 'time'>;

/** Records the progress of a worker's attempt. */
export function createProgress(site: Site, history: History) {
  let attempt: Attempt | undefined;

  return {
    get: () => attempt,
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
