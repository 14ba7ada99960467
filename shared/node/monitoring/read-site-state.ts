import { deliveryKinds, type DeliveryKind } from '../../deliveries/delivery.ts';
import { Second } from '../../time.ts';
import { readResponseTimeMetrics, type ResponseTimeMetrics } from '../contact/response-time-metrics.ts';
import type { Database } from '../database/database.ts';
import {
  countFinishedGroups,
  countUnfinishedGroups,
  type DeliveryGroup,
} from '../deliveries/list-deliveries.ts';
import type { ResponsePromise } from '../response-promise/response-promise.ts';
import { listServedKinds } from '../deliveries/delivery-pauses.ts';

/** Deliveries and response times as PostgreSQL has them. */
export interface SiteState {
  readonly deliveries: readonly DeliveryGroup[];
  /** False: `deliveries` lacks those that are sent or cancelled. */
  readonly isHistoryKnown: boolean;
  /** Milliseconds since the oldest unfinished delivery of each kind was due; 0 when none is due. */
  readonly oldestDueMs: ReadonlyMap<DeliveryKind, number>;
  readonly responseTimes: ResponseTimeMetrics;
}

interface SiteStateSource {
  readonly database: Database;
  readonly promise: ResponsePromise;
}

/** A result is reused for so long: several servers may scrape at the same time. */
const STATE_TTL = 5 * Second;

/** Counting ended deliveries may take one part in so many of PostgreSQL's time. */
const HISTORY_SHARE = 100;

/** Caches what `read` resolves to for `getTtl(its duration)` milliseconds; concurrent calls share one read. */
function cacheResult<Result>(
  read: () => Promise<Result>,
  getTtl: (tookMs: number) => number,
): () => Promise<Result> {
  let reading: Promise<Result> | undefined;
  let expiresAt = Number.NEGATIVE_INFINITY;

  return () => {
    if (reading && performance.now() < expiresAt) return reading;

    const startedAt = performance.now();
    expiresAt = Number.POSITIVE_INFINITY;
    reading = read().finally(() => {
      const endedAt = performance.now();
      expiresAt = endedAt + getTtl(endedAt - startedAt);
    });
    reading.catch(() => {
      reading = undefined;
    });

    return reading;
  };
}

/** Counts ended deliveries, less often the longer that takes; undefined while that takes too long. */
const createHistoryReader = (database: Database) =>
  cacheResult<readonly DeliveryGroup[] | undefined>(
    // Cached like a count: what could not be counted in time isn't counted again at once.
    () => countFinishedGroups(database).catch(() => undefined),
    (tookMs) => tookMs * HISTORY_SHARE,
  );

async function readSiteState(
  { database, promise }: SiteStateSource,
  readHistory: () => Promise<readonly DeliveryGroup[] | undefined>,
): Promise<SiteState> {
  const [unfinished, finished, served, responseTimes] = await Promise.all([
    countUnfinishedGroups(database),
    // Absent when it can't be counted in time, without hiding the rest.
    readHistory(),
    listServedKinds(database),
    readResponseTimeMetrics(database, promise),
  ]);
  // Pending deliveries of the other kinds wait for a provider.
  const open = unfinished.filter(({ kind, state }) => state !== 'dead' && served.includes(kind));

  return {
    deliveries: [...unfinished, ...(finished ?? [])],
    isHistoryKnown: finished !== undefined,
    oldestDueMs: new Map(
      deliveryKinds.map((kind) => [
        kind,
        Math.max(0, ...open.filter((group) => group.kind === kind).map((group) => group.oldestDueMs)),
      ]),
    ),
    responseTimes,
  };
}

/** Creates the function that reads the state, at most once in five seconds. */
export function createSiteStateReader(source: SiteStateSource): () => Promise<SiteState> {
  const readHistory = createHistoryReader(source.database);

  return cacheResult(() => readSiteState(source, readHistory), () => STATE_TTL);
}
