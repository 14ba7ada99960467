import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { deliveryKinds, type DeliveryKind } from '../../deliveries/delivery.ts';
import { Second } from '../../time.ts';
import { isLogInOrder, listFreeShares } from './assess-installation.ts';
import type { Installation } from './read-installation.ts';

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

/** The result of one attempt at a delivery. */
const deliveryResults = ['sent', 'retry', 'dead', 'cancelled', 'paused'] as const;
export type DeliveryResult = (typeof deliveryResults)[number];

/** What the sweep repaired; all zero when nothing fails. */
const sweepRepairs = ['job_requeued', 'lease_freed', 'lease_dead'] as const;
type SweepRepair = (typeof sweepRepairs)[number];

export interface SubmissionMetrics {
  readonly countSubmission: (channel: SubmissionChannel, result: SubmissionResult) => void;
}

/** A request that was responded to; `route` is the matching pattern, never the URL. */
interface ObservedRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
  /** The browser asked ahead of a visit, which may never come. */
  readonly isPrefetch: boolean;
}

export interface RequestMetrics {
  readonly observeRequest: (request: ObservedRequest) => void;
}

export interface DeliveryMetrics {
  readonly observeDelivery: (kind: DeliveryKind, result: DeliveryResult, seconds: number) => void;
}

export interface SweepMetrics {
  readonly countRepairs: (repair: SweepRepair, count: number) => void;
  /** Records that a sweep has completed without an error. */
  readonly recordSweep: () => void;
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
    countSubmission: (channel, result) => submissions.inc({ door: channel, result }),
    observeRequest: ({ method, route, status, seconds, isPrefetch }) => {
      if (isPrefetch) prefetches.inc({ route });
      requests.observe({ method, route, status: `${Math.floor(status / 100)}xx` }, seconds);
    },
  } satisfies SubmissionMetrics & RequestMetrics & { registry: Registry };
}

export interface InstallationMetrics {
  /** Replaces what was read before; what is not known has no gauge. */
  readonly setInstallation: (installation: Installation) => void;
}

/** The gauges of what surrounds the programs, absent until they are set. */
function createInstallationGauges(registry: Registry): InstallationMetrics {
  const makeGauge = (name: string, help: string, labelNames: readonly string[] = []) => {
    const gauge = new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] });
    // A gauge without labels starts as 0.
    if (labelNames.length === 0) gauge.remove();

    return gauge;
  };
  const show = (gauge: Gauge, value: number | undefined) => {
    if (value === undefined) gauge.remove();
    else gauge.set(value);
  };
  const toSeconds = (ms: number | undefined) => (ms === undefined ? undefined : ms / Second);
  const backup = makeGauge(
    'site_backup_last_success_timestamp_seconds',
    'When the newest verified backup was made, in Unix time; 0 when there is none, absent where none are made.',
  );
  const copy = makeGauge(
    'site_backup_copy_last_success_timestamp_seconds',
    'When the newest backup in BACKUP_REPOSITORY was copied there, in Unix time; 0 when none could be copied, absent where none are.',
  );
  const rehearsal = makeGauge(
    'site_rehearsal_last_success_timestamp_seconds',
    'When a restore was last rehearsed with success, in Unix time; 0 when none succeeded yet, absent before the first.',
  );
  const rehearsalFailed = makeGauge(
    'site_rehearsal_failed',
    '1 when the last rehearsal of a restore failed, 0 when it succeeded; absent before the first.',
  );
  const certificate = makeGauge(
    'site_certificate_not_after_timestamp_seconds',
    'Until when the certificate that visitors get is valid, in Unix time; absent where it can’t be read.',
  );
  const certificateFrom = makeGauge(
    'site_certificate_not_before_timestamp_seconds',
    'From when on the certificate that visitors get is valid, in Unix time; absent where it can’t be read.',
  );
  const image = makeGauge(
    'site_image_created_timestamp_seconds',
    'When the image of this worker was made, in Unix time; absent outside of an image.',
  );
  const disks = makeGauge('site_disk_free_ratio', 'The part of the disk that is free, by what is on it.', ['folder']);
  const log = makeGauge(
    'site_erasure_log_complete',
    '1 when everybody who was erased would be recognized in a restored backup, 0 when the erasure log is missing or not in order.',
  );

  return {
    setInstallation: (installation) => {
      const { backup: { makes, newestAt }, copy: lastCopy, rehearsal: lastRehearsal, erasureLog } = installation;
      show(backup, makes ? toSeconds(newestAt?.getTime() ?? 0) : undefined);
      show(copy, lastCopy && toSeconds(lastCopy.succeeded_at?.getTime() ?? 0));
      show(rehearsal, lastRehearsal && toSeconds(lastRehearsal.succeeded_at?.getTime() ?? 0));
      show(rehearsalFailed, lastRehearsal && Number(lastRehearsal.error !== null));
      show(certificate, toSeconds(installation.certificate?.validUntil.getTime()));
      show(certificateFrom, toSeconds(installation.certificate?.validFrom.getTime()));
      show(image, toSeconds(installation.image?.created));
      show(log, erasureLog === undefined ? undefined : Number(isLogInOrder(installation)));
      disks.reset();
      for (const [folder, share] of listFreeShares(installation)) disks.set({ folder }, share);
    },
  };
}

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
  for (const kind of deliveryKinds) {
    for (const result of deliveryResults) deliveries.zero({ kind, result });
  }
  for (const repair of sweepRepairs) repairs.inc({ repair }, 0);

  return {
    registry,
    observeDelivery: (kind, result, seconds) => deliveries.observe({ kind, result }, seconds),
    countRepairs: (repair, count) => repairs.inc({ repair }, count),
    recordSweep: () => lastSweep.setToCurrentTime(),
    ...createInstallationGauges(registry),
  } satisfies DeliveryMetrics & SweepMetrics & InstallationMetrics & { registry: Registry };
}
