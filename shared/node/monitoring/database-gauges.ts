import { Gauge, Registry } from 'prom-client';
import {
  deliveryKinds,
  deliveryStates,
  followUpStages,
  type DeliveryKind,
  type DeliveryState,
} from '../../deliveries/delivery.ts';
import { Second } from '../../time.ts';
import type { SiteState } from './read-site-state.ts';

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

/** What deliveries wait for beside their time. */
function addWaitGauges(registry: Registry, { deliveries, pausedKinds, servedKinds, isHeld }: SiteState): void {
  const countPending = (kind: DeliveryKind) =>
    deliveries
      .filter((group) => group.kind === kind && group.state === 'pending')
      .reduce((sum, { count }) => sum + count, 0);
  addGauge(
    registry,
    'site_delivery_kind_paused',
    '1 while all deliveries of the kind are paused, because the receiver refuses them or asks to wait.',
    deliveryKinds.map((kind) => ({ labels: { kind }, value: pausedKinds.has(kind) ? 1 : 0 })),
  );
  addGauge(
    registry,
    'site_deliveries_without_provider',
    'Pending deliveries of the kind that no provider is configured for (CRM_PROVIDER is none).',
    deliveryKinds.map((kind) => ({
      labels: { kind },
      value: servedKinds.has(kind) ? 0 : countPending(kind),
    })),
  );
  addGauge(
    registry,
    'site_deliveries_held',
    '1 while deliveries are on hold, after a restore or by hand, until an operator releases them.',
    [{ value: isHeld ? 1 : 0 }],
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

/** What one scrape has read; a field that is undefined has no gauge. */
interface ScrapedState {
  /** Undefined when PostgreSQL didn't respond. */
  readonly siteState: SiteState | undefined;
  /** Undefined where jobs don't run on Redis. */
  readonly isRedisUp: boolean | undefined;
}

/** Creates the gauges of one scrape in a new registry: what can't be read is absent, never stale. */
export function createDatabaseGauges({ siteState, isRedisUp }: ScrapedState): Registry {
  const registry = new Registry();
  addGauge(registry, 'site_postgres_up', '1 when PostgreSQL responded to this scrape’s queries in time.', [
    { value: siteState ? 1 : 0 },
  ]);
  if (isRedisUp !== undefined) {
    addGauge(registry, 'site_redis_up', '1 when Redis responded to this scrape in time.', [
      { value: isRedisUp ? 1 : 0 },
    ]);
  }
  if (siteState) {
    addDeliveryGauges(registry, siteState);
    addWaitGauges(registry, siteState);
    addResponseTimeGauges(registry, siteState);
  }

  return registry;
}
