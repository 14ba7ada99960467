import {
  deliveryKinds,
  type DeliveryKind,
  deliveryStates,
  followUpStages,
  type DeliveryState,
} from '../../deliveries/delivery.ts';
import { Second } from '../../time.ts';
import { readResponseTimeMetrics, type ResponseTimeMetrics } from '../contact/response-time-metrics.ts';
import type { Database } from '../database/database.ts';
import { countFinishedGroups, countUnfinishedGroups, type DeliveryGroup } from '../deliveries/list-deliveries.ts';
import type { ResponsePromise } from '../response-promise/response-promise.ts';
import { listServedKinds } from '../deliveries/delivery-pauses.ts';
import { Gauge, Registry } from 'prom-client';

interface SiteState {
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

type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

function addGauge(registry: Registry, name: string, help: string, samples: readonly Sample[]): void {
  const labelNames = [...new Set(samples.flatMap(({ labels }) => Object.keys(labels ?? {})))];
  const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
  // A gauge without labels starts as 0.
  if (samples.length === 0) gauge.remove();
  for (const { labels, value } of samples) gauge.set(labels ?? {}, value);
}

const stagesOf = (kind: DeliveryKind) => (kind === 'follow-up' ? followUpStages : [null]);

const hasEnded = (state: DeliveryState) => state === 'sent' || state === 'cancelled';

/** All kinds, stages and states, as far as counts are known: alert rules need the zeros too. */
function listDeliveryCounts({ deliveries, isHistoryKnown }: SiteState): Sample[] {
  const states = deliveryStates.filter((state) => isHistoryKnown || !hasEnded(state));

  return deliveryKinds.flatMap((kind) =>
    stagesOf(kind).flatMap((stage) =>
      states.map((state) => ({
        labels: { kind, stage: stage ?? 'none', state },
        value:
          deliveries.find(
            (group) => group.kind === kind && group.stage === stage && group.state === state,
          )?.count ?? 0,
      })),
    ),
  );
}

function addDeliveryGauges(registry: Registry, siteState: SiteState): void {
  const { oldestDueMs } = siteState;
  addGauge(
    registry,
    'site_deliveries',
    'Deliveries in the database, by kind, stage (none where a kind has no stages) and state.',
    listDeliveryCounts(siteState),
  );
  addGauge(
    registry,
    'site_delivery_oldest_due_seconds',
    'Time since the oldest unfinished delivery was due; 0 when none is due.',
    [{ value: Math.max(...oldestDueMs.values()) / Second }],
  );
  addGauge(
    registry,
    'site_delivery_oldest_due_by_kind_seconds',
    'Time since the oldest unfinished delivery of the kind was due; 0 when none is due.',
    [...oldestDueMs].map(([kind, ms]) => ({ labels: { kind }, value: ms / Second })),
  );
}

function addResponseTimeGauges(registry: Registry, { responseTimes }: SiteState): void {
  const { decided, metWithin, overdue, atRisk, quarantined } = responseTimes;
  addGauge(
    registry,
    'site_promise_kept_ratio',
    'Of the last 30 days’ requests that are answered or whose time is over, the part answered in time; absent when there are none.',
    decided > 0 ? [{ value: metWithin / decided }] : [],
  );
  addGauge(
    registry,
    'site_submissions_overdue',
    'Requests of the last 30 days that are not answered and whose time (FOLLOW_UP_AFTER) is over.',
    [{ value: overdue }],
  );
  addGauge(
    registry,
    'site_submissions_at_risk',
    'Requests not answered yet for which the reminder (FOLLOW_UP_REMINDER_AFTER) is due and whose time isn’t over.',
    [{ value: atRisk }],
  );
  addGauge(
    registry,
    'site_submissions_quarantined',
    'Requests held as suspected spam about which nobody has decided yet.',
    [{ value: quarantined }],
  );
}

/** Creates the gauges of one scrape in a new registry, so that an unreadable one is absent, never stale. */
export function createDatabaseGauges(siteState: SiteState | undefined): Registry {
  const registry = new Registry();
  addGauge(registry, 'site_postgres_up', '1 when PostgreSQL responded to this scrape’s queries in time.', [
    { value: siteState ? 1 : 0 },
  ]);
  if (siteState) {
    addDeliveryGauges(registry, siteState);
    addResponseTimeGauges(registry, siteState);
  }

  return registry;
}
