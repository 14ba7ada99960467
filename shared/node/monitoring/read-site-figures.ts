import { deliveryKinds, type DeliveryKind } from '../../deliveries/delivery.ts';
import { Second } from '../../time.ts';
import { readPromiseFigures, type PromiseFigures } from '../contact/promise-figures.ts';
import type { Database } from '../database.ts';
import { countDeliveryGroups, type DeliveryGroup } from '../deliveries/delivery-figures.ts';
import { readHold } from '../deliveries/delivery-hold.ts';
import { listPauses } from '../deliveries/delivery-pauses.ts';

/** What PostgreSQL says of the promises given. */
export interface SiteFigures {
  readonly deliveries: readonly DeliveryGroup[];
  /** Milliseconds since the oldest unfinished delivery of each kind was due; 0 when none is due. */
  readonly oldestDueMs: ReadonlyMap<DeliveryKind, number>;
  readonly pausedKinds: ReadonlySet<DeliveryKind>;
  /** Nothing is sent until an operator releases it. */
  readonly isHeld: boolean;
  readonly promise: PromiseFigures;
}

export interface FiguresSource {
  readonly database: Database;
  /** Milliseconds to the reminder and to the end of a request's time. */
  readonly followUp: { readonly reminderAfter: number; readonly dueAfter: number };
}

/** Figures as young as this are given again: several may scrape at the same time. */
const KEPT_FOR = 5 * Second;

async function readSiteFigures({ database, followUp }: FiguresSource): Promise<SiteFigures> {
  const [deliveries, pauses, hold, promise] = await Promise.all([
    countDeliveryGroups(database),
    listPauses(database),
    readHold(database),
    readPromiseFigures(database, followUp),
  ]);
  const unfinished = deliveries.filter(({ state }) => state === 'pending' || state === 'leased');

  return {
    deliveries,
    oldestDueMs: new Map(
      deliveryKinds.map((kind) => [
        kind,
        Math.max(0, ...unfinished.filter((group) => group.kind === kind).map((group) => group.oldestDueMs)),
      ]),
    ),
    pausedKinds: new Set(pauses.map(({ kind }) => kind)),
    isHeld: hold !== undefined,
    promise,
  };
}

/**
 * Makes the function that reads the figures, at most once in five seconds and never twice at a
 * time.
 * @returns a function that throws when PostgreSQL can't be asked
 */
export function makeFiguresReader(source: FiguresSource): () => Promise<SiteFigures> {
  let reading: Promise<SiteFigures> | undefined;
  let readAt = Number.NEGATIVE_INFINITY;

  return () => {
    if (reading && performance.now() - readAt < KEPT_FOR) return reading;

    readAt = Number.POSITIVE_INFINITY;
    reading = readSiteFigures(source).finally(() => {
      readAt = performance.now();
    });
    // A failure isn't kept.
    reading.catch(() => {
      reading = undefined;
    });

    return reading;
  };
}
