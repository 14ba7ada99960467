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
