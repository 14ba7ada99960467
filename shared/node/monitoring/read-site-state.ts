import { deliveryKinds, type DeliveryKind } from '../../deliveries/delivery.ts';
import { Second } from '../../time.ts';
import { readResponseTimeMetrics, type ResponseTimeMetrics } from '../contact/response-time-metrics.ts';
import type { Database } from '../database/database.ts';
import {
  countFinishedGroups,
  countUnfinishedGroups,
  type DeliveryGroup,
} from '../deliveries/list-deliveries.ts';
import { readHold } from '../deliveries/delivery-hold.ts';
import { listPauses, listServedKinds } from '../deliveries/delivery-pauses.ts';

/** What PostgreSQL says of the promises given. */
export interface SiteState {
  readonly deliveries: readonly DeliveryGroup[];
  /** False: `deliveries` lacks those that are sent or cancelled. */
  readonly isHistoryKnown: boolean;
  /** Milliseconds since the oldest unfinished delivery of each kind was due; 0 when none is due. */
  readonly oldestDueMs: ReadonlyMap<DeliveryKind, number>;
  readonly pausedKinds: ReadonlySet<DeliveryKind>;
  /** Those for which somebody is configured to deliver to; what waits of the others is not late. */
  readonly servedKinds: ReadonlySet<DeliveryKind>;
  /** Nothing is sent until an operator releases it. */
  readonly isHeld: boolean;
  readonly promise: ResponseTimeMetrics;
}

export interface SiteStateSource {
  readonly database: Database;
  /** Milliseconds to the reminder and to the end of a request's time. */
  readonly followUp: { readonly reminderAfter: number; readonly dueAfter: number };
}

/** Figures as young as this are given again: several may scrape at the same time. */
const KEPT_FOR = 5 * Second;

/** Of its time PostgreSQL may spend one part in so many on counting what is finished. */
const HISTORY_SHARE = 100;

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
  let goodUntil = Number.NEGATIVE_INFINITY;

  return () => {
    if (reading && performance.now() < goodUntil) return reading;

    const startedAt = performance.now();
    goodUntil = Number.POSITIVE_INFINITY;
    reading = read().finally(() => {
      const endedAt = performance.now();
      goodUntil = endedAt + getLife(endedAt - startedAt);
    });
    reading.catch(() => {
      reading = undefined;
    });

    return reading;
  };
}

/**
 * Makes the function that counts finished deliveries: the longer the history takes to be counted, the
 * less often it is. With tens of thousands of rows it is counted anew for every scrape.
 * @returns a function whose answer is undefined while the history can't be counted in time
 */
const makeHistoryReader = (database: Database) =>
  keepAnswer<readonly DeliveryGroup[] | undefined>(
    // Kept like a count: what could not be counted in time isn't tried again at once.
    () => countFinishedGroups(database).catch(() => undefined),
    (tookMs) => tookMs * HISTORY_SHARE,
  );

async function readSiteFigures(
  { database, followUp }: SiteStateSource,
  readHistory: () => Promise<readonly DeliveryGroup[] | undefined>,
): Promise<SiteState> {
  const [unfinished, finished, pauses, served, hold, promise] = await Promise.all([
    countUnfinishedGroups(database),
    // What can't be counted in time is absent; what waits is told all the same.
    readHistory(),
    listPauses(database),
    listServedKinds(database),
    readHold(database),
    readResponseTimeMetrics(database, followUp),
  ]);
  const servedKinds = new Set(served);
  const open = unfinished.filter(({ kind, state }) => state !== 'dead' && servedKinds.has(kind));

  return {
    deliveries: [...unfinished, ...(finished ?? [])],
    isHistoryKnown: finished !== undefined,
    oldestDueMs: new Map(
      deliveryKinds.map((kind) => [
        kind,
        Math.max(0, ...open.filter((group) => group.kind === kind).map((group) => group.oldestDueMs)),
      ]),
    ),
    pausedKinds: new Set(pauses.map(({ kind }) => kind)),
    servedKinds,
    isHeld: hold !== undefined,
    promise,
  };
}

/**
 * Makes the function that reads the figures, at most once in five seconds and never twice at a
 * time.
 * @returns a function that throws when PostgreSQL can't be asked
 */
export function createSiteStateReader(source: SiteStateSource): () => Promise<SiteState> {
  const readHistory = makeHistoryReader(source.database);

  return keepAnswer(() => readSiteFigures(source, readHistory), () => KEPT_FOR);
}
