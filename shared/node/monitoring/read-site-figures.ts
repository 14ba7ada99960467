import { deliveryKinds, type DeliveryKind } from '../../deliveries/delivery.ts';
import { Second } from '../../time.ts';
import { readPromiseFigures, type PromiseFigures } from '../contact/promise-figures.ts';
import type { Database } from '../database.ts';
import {
  countFinishedGroups,
  countUnfinishedGroups,
  type DeliveryGroup,
} from '../deliveries/delivery-figures.ts';
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

/** Finished deliveries are counted for at most 1 % of the time, however many there are. */
const FINISHED_REST = 99;

/**
 * Keeps what was read, and reads it never twice at a time.
 * @param getLife milliseconds for which an answer is given again, from those it took
 * @returns a function that throws what `read` throws; a failure isn't kept
 */
function keepAnswer<Answer>(
  read: () => Promise<Answer>,
  getLife: (tookMs: number) => number,
): () => Promise<Answer> {
  let reading: Promise<Answer> | undefined;
  let endsAt = Number.NEGATIVE_INFINITY;

  return () => {
    if (reading && performance.now() < endsAt) return reading;

    const begunAt = performance.now();
    endsAt = Number.POSITIVE_INFINITY;
    reading = read().finally(() => {
      const now = performance.now();
      endsAt = now + getLife(now - begunAt);
    });
    reading.catch(() => {
      reading = undefined;
    });

    return reading;
  };
}

async function readSiteFigures(
  { database, followUp }: FiguresSource,
  readFinished: () => Promise<readonly DeliveryGroup[]>,
): Promise<SiteFigures> {
  const [unfinished, finished, pauses, hold, promise] = await Promise.all([
    countUnfinishedGroups(database),
    readFinished(),
    listPauses(database),
    readHold(database),
    readPromiseFigures(database, followUp),
  ]);
  const open = unfinished.filter(({ state }) => state !== 'dead');

  return {
    deliveries: [...unfinished, ...finished],
    oldestDueMs: new Map(
      deliveryKinds.map((kind) => [
        kind,
        Math.max(0, ...open.filter((group) => group.kind === kind).map((group) => group.oldestDueMs)),
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
  const readFinished = keepAnswer(
    () => countFinishedGroups(source.database),
    (tookMs) => FINISHED_REST * tookMs,
  );

  return keepAnswer(() => readSiteFigures(source, readFinished), () => KEPT_FOR);
}
