import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { deliveryKinds, type DeliveryKind } from '../../deliveries/delivery.ts';

/** How a request was posted: as JSON, or as a form without JavaScript. */
const submissionChannels = ['json', 'form'] as const;
export type SubmissionChannel = (typeof submissionChannels)[number];

const submissionResults = [
  'accepted',
  'repeated',
  'quarantined',
  'conflict',
  'invalid',
  'rate_limited',
  'unavailable',
] as const;
export type SubmissionResult = (typeof submissionResults)[number];

const deliveryResults = ['sent', 'retry', 'dead', 'cancelled', 'paused'] as const;
export type DeliveryResult = (typeof deliveryResults)[number];

/** Repairs made by the sweep. The counts stay at zero unless something fails. */
const sweepRepairs = ['job_requeued', 'lease_freed', 'lease_dead'] as const;
type SweepRepair = (typeof sweepRepairs)[number];

/** A request with its response. `route` is the matching pattern, never the URL. */
interface ObservedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
  /** Whether the browser prefetched the page. The visitor may never open it. */
  readonly isPrefetch: boolean;
}

/** Creates the metrics of the web process in their own registry. */
export function createWebMetrics() {
  const registry = new Registry();
  const submissions = new Counter({
    name: 'site_submissions_total',
    help: 'Contact requests posted to this process, by channel (json or form) and result.',
    labelNames: ['door', 'result'],
    registers: [registry],
  });
  const requests = new Histogram({
    name: 'site_http_request_duration_seconds',
    help: 'Time from a request to the end of its response, by method, route pattern and status class.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const prefetches = new Counter({
    name: 'site_http_prefetches_total',
    help: 'Browser prefetches and prerenders, by route pattern. They also count as requests.',
    labelNames: ['route'],
    registers: [registry],
  });
  // Start at 0, so that rates include the first request.
  for (const door of submissionChannels) {
    for (const result of submissionResults) submissions.inc({ door, result }, 0);
  }

  return {
    registry,
    // The label was released as `door`, so its name can't change.
    countSubmission: (channel: SubmissionChannel, result: SubmissionResult) => submissions.inc({ door: channel, result }),
    observeRequest: ({ method, route, status, seconds, isPrefetch }: ObservedRequest) => {
      if (isPrefetch) prefetches.inc({ route });
      requests.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, seconds);
    },
  };
}

export type WebMetrics = ReturnType<typeof createWebMetrics>;

/** Creates the metrics of the worker process in their own registry. */
export function createWorkerMetrics() {
  const registry = new Registry();
  const deliveries = new Histogram({
    name: 'site_delivery_duration_seconds',
    help: 'Duration of an attempt at a delivery, from claiming to recording it, by kind and result.',
    labelNames: ['kind', 'result'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60],
    registers: [registry],
  });
  const repairs = new Counter({
    name: 'site_sweep_repairs_total',
    help: 'Missing jobs that the sweep queued, and expired leases that it released or marked dead.',
    labelNames: ['repair'],
    registers: [registry],
  });
  const lastSweep = new Gauge({
    name: 'site_sweep_last_success_timestamp_seconds',
    help: 'Unix time of this worker’s last sweep without an error; 0 before the first.',
    registers: [registry],
  });
  const checks = new Gauge({
    name: 'site_check_failed',
    help: '1 if the check warns or fails, otherwise 0; absent if it can’t be read.',
    labelNames: ['check'],
    registers: [registry],
  });
  for (const kind of deliveryKinds) {
    for (const result of deliveryResults) deliveries.zero({ kind, result });
  }
  for (const repair of sweepRepairs) repairs.inc({ repair }, 0);

  return {
    registry,
    observeDelivery: (kind: DeliveryKind, result: DeliveryResult, seconds: number) => deliveries.observe({ kind, result }, seconds),
    countRepairs: (repair: SweepRepair, count: number) => repairs.inc({ repair }, count),
    /** Records a successful sweep. */
    recordSweep: () => lastSweep.setToCurrentTime(),
    /** Replaces the previous results. Undefined means that a check could not be read. */
    setChecks: (results: ReadonlyArray<readonly [check: string, needsAttention: boolean | undefined]>) => {
      checks.reset();
      for (const [check, isWrong] of results) if (isWrong !== undefined) checks.set({ check }, Number(isWrong));
    },
  };
}

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;
