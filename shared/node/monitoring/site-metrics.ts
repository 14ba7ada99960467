import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { deliveryKinds, type DeliveryKind } from '../../deliveries/delivery.ts';

/** How a request was posted: as JSON, or as the plain form. */
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

/** What the sweep repaired; all zero when nothing fails. */
const sweepRepairs = ['job_requeued', 'lease_freed', 'lease_dead'] as const;
type SweepRepair = (typeof sweepRepairs)[number];

/** A request that was responded to; `route` is the matching pattern, never the URL. */
interface ObservedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
  /** The browser asked ahead of a visit, which may never come. */
  readonly isPrefetch: boolean;
}

/** Metrics of the web process, in a registry of their own. */
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
    help: 'Time from a request to the end of its response, by method, route pattern and class of status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const prefetches = new Counter({
    name: 'site_http_prefetches_total',
    help: 'Requests of browsers ahead of a visit (prefetch, prerender), by route pattern; among all requests.',
    labelNames: ['route'],
    registers: [registry],
  });
  // From the start, so that a rate includes the first one.
  for (const door of submissionChannels) {
    for (const result of submissionResults) submissions.inc({ door, result }, 0);
  }

  return {
    registry,
    // The label is released as `door`.
    countSubmission: (channel: SubmissionChannel, result: SubmissionResult) => submissions.inc({ door: channel, result }),
    observeRequest: ({ method, route, status, seconds, isPrefetch }: ObservedRequest) => {
      if (isPrefetch) prefetches.inc({ route });
      requests.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, seconds);
    },
  };
}

export type WebMetrics = ReturnType<typeof createWebMetrics>;

/** Metrics of the worker process, in a registry of their own. */
export function createWorkerMetrics() {
  const registry = new Registry();
  const deliveries = new Histogram({
    name: 'site_delivery_duration_seconds',
    help: 'Time that one attempt at a delivery took, from its claim to its record, by kind and result.',
    labelNames: ['kind', 'result'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60],
    registers: [registry],
  });
  const repairs = new Counter({
    name: 'site_sweep_repairs_total',
    help: 'Jobs that the sweep queued because they were missing, and expired leases it released or marked dead.',
    labelNames: ['repair'],
    registers: [registry],
  });
  const lastSweep = new Gauge({
    name: 'site_sweep_last_success_timestamp_seconds',
    help: 'When this worker’s last sweep completed without an error, in Unix time; 0 before the first.',
    registers: [registry],
  });
  const checks = new Gauge({
    name: 'site_check_failed',
    help: '1 while the check warns or fails, 0 while it does not; absent where it can’t be read.',
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
    /** Records that a sweep has completed without an error. */
    recordSweep: () => lastSweep.setToCurrentTime(),
    /** Replaces the results before: whether each check needs attention, undefined where it could not be read. */
    setChecks: (results: ReadonlyArray<readonly [check: string, needsAttention: boolean | undefined]>) => {
      checks.reset();
      for (const [check, isWrong] of results) if (isWrong !== undefined) checks.set({ check }, Number(isWrong));
    },
  };
}

export type WorkerMetrics = ReturnType<typeof createWorkerMetrics>;
