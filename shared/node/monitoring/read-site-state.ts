import {
  deliveryKinds,
  type DeliveryKind,
  deliveryStates,
  followUpStages,
} from '../../deliveries/delivery.ts';
import { Second } from '../../time.ts';
import { readResponseTimeMetrics, type ResponseTimeMetrics } from '../contact/response-time-metrics.ts';
import type { Database } from '../database/database.ts';
import { countFinishedGroups, countUnfinishedGroups, type DeliveryGroup } from '../deliveries/list-deliveries.ts';
import type { ResponsePromise } from '../response-promise/response-promise.ts';
import { listKindsWithProvider } from '../deliveries/delivery-pauses.ts';
import { Gauge, Registry } from 'prom-client';

interface SiteState {
  readonly deliveries: readonly DeliveryGroup[];
  /** Milliseconds since the oldest unfinished delivery of each kind was due; 0 if none is due. */
  readonly oldestDueMs: ReadonlyMap<DeliveryKind, number>;
  readonly responseTimes: ResponseTimeMetrics;
}

interface SiteStateSource {
  readonly database: Database;
  readonly promise: ResponsePromise;
}

/** How long results are cached, because several servers may scrape at the same time. */
const STATE_TTL = 5 * Second;

async function readSiteState({ database, promise }: SiteStateSource): Promise<SiteState> {
  const [unfinished, finished, served, responseTimes] = await Promise.all([
    countUnfinishedGroups(database),
    countFinishedGroups(database),
    listKindsWithProvider(database),
    readResponseTimeMetrics(database, promise),
  ]);
  // Pending deliveries of other kinds wait for a provider.
  const open = unfinished.filter(({ kind, state }) => state !== 'dead' && served.includes(kind));

  return {
    deliveries: [...unfinished, ...finished],
    oldestDueMs: new Map(
      deliveryKinds.map((kind) => [
        kind,
        Math.max(0, ...open.filter((group) => group.kind === kind).map((group) => group.oldestDueMs)),
      ]),
    ),
    responseTimes,
  };
}

/** Creates a function that reads the state at most once every five seconds. Concurrent calls share one read. */
export function createSiteStateReader(source: SiteStateSource): () => Promise<SiteState> {
  let reading: Promise<SiteState> | undefined;
  let expiresAt = Number.NEGATIVE_INFINITY;

  return () => {
    if (reading && performance.now() < expiresAt) return reading;

    expiresAt = Number.POSITIVE_INFINITY;
    reading = readSiteState(source).finally(() => {
      expiresAt = performance.now() + STATE_TTL;
    });
    reading.catch(() => {
      reading = undefined;
    });

    return reading;
  };
}

type Labels = Readonly<Record<string, string>>;

interface Sample {
  readonly labels?: Labels;
  readonly value: number;
}

function addGauge(registry: Registry, name: string, help: string, samples: readonly Sample[]): void {
  const labelNames = [...new Set(samples.flatMap(({ labels }) => Object.keys(labels ?? {})))];
  const gauge = new Gauge({ name, help, labelNames, registers: [registry] });
  // A gauge without labels starts at 0.
  if (samples.length === 0) gauge.remove();
  for (const { labels, value } of samples) gauge.set(labels ?? {}, value);
}

const listStages = (kind: DeliveryKind) => (kind === 'follow-up' ? followUpStages : [null]);

/** Lists the counts for all kinds, stages and states, including zeros, which alert rules need. */
function listDeliveryCounts({ deliveries }: SiteState): Sample[] {
  return deliveryKinds.flatMap((kind) =>
    listStages(kind).flatMap((stage) =>
      deliveryStates.map((state) => ({
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
    'Time since the oldest unfinished delivery was due; 0 if none is due.',
    [{ value: Math.max(...oldestDueMs.values()) / Second }],
  );
  addGauge(
    registry,
    'site_delivery_oldest_due_by_kind_seconds',
    'Time since the oldest unfinished delivery of the kind was due; 0 if none is due.',
    [...oldestDueMs].map(([kind, ms]) => ({ labels: { kind }, value: ms / Second })),
  );
}

function addResponseTimeGauges(registry: Registry, { responseTimes }: SiteState): void {
  const { decided, metWithin, overdue, atRisk, quarantined } = responseTimes;
  addGauge(
    registry,
    'site_promise_kept_ratio',
    'Share of requests of the last 30 days that were answered in time, among those answered or overdue; absent if there are none.',
    decided > 0 ? [{ value: metWithin / decided }] : [],
  );
  addGauge(
    registry,
    'site_submissions_overdue',
    'Unanswered requests of the last 30 days whose time (FOLLOW_UP_AFTER) is over.',
    [{ value: overdue }],
  );
  addGauge(
    registry,
    'site_submissions_at_risk',
    'Unanswered requests whose reminder (FOLLOW_UP_REMINDER_AFTER) is due and whose time isn’t over.',
    [{ value: atRisk }],
  );
  addGauge(
    registry,
    'site_submissions_quarantined',
    'Undecided requests held as suspected spam.',
    [{ value: quarantined }],
  );
}

/** Creates the gauges for one scrape in a new registry, so that unreadable ones are absent, not stale. */
export function createDatabaseGauges(siteState: SiteState | undefined): Registry {
  const registry = new Registry();
  addGauge(registry, 'site_postgres_up', '1 if PostgreSQL responded to this scrape’s queries in time.', [
    { value: siteState ? 1 : 0 },
  ]);
  if (siteState) {
    addDeliveryGauges(registry, siteState);
    addResponseTimeGauges(registry, siteState);
  }

  return registry;
}
