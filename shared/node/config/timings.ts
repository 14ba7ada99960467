import { mapKinds, type Backoff, type DeliveryKind } from '../../deliveries/delivery.ts';
import type { Config } from './config.ts';
import type { JobRateLimit, QueueWorkerOptions } from '../queues/bullmq.ts';
import { Day, Hour, Minute, Second } from '../../time.ts';

/** Milliseconds before attempt `attempts + 1`: doubling from `first` to `cap`, less up to a quarter at random. */
export function computeBackoff(
  attempts: number,
  { first, cap }: Backoff,
  random: () => number = Math.random,
): number {
  const full = Math.min(cap, first * 2 ** Math.min(Math.max(0, attempts - 1), 30));

  return Math.round(full * (1 - random() / 4));
}

/** The lease, sweep, back-off and alert times of the worker, in milliseconds; the entry file gives them. */
export interface Timings {
  /** How long a claimed delivery is a worker's alone. Longer than `attempt`. */
  readonly lease: number;
  /** Longest time one attempt to send a mail or an export may take. */
  readonly attempt: number;
  /** How often missing jobs and expired leases are repaired. */
  readonly sweep: number;
  /** How often a worker without Redis queries what is due. */
  readonly due: number;
  /** What has been claimable for so long is processed without the queue, whatever that does. */
  readonly directAfter: number;
  /** Longest time a sweep waits for the queue before it processes without it all that is due. */
  readonly queueCheck: number;
  /** A worker that has not ended a sweep for so long ends itself. */
  readonly hang: number;
  readonly backOff: Readonly<Record<DeliveryKind, Backoff>>;
  /** How long a kind is paused when its other side refuses the credentials. */
  readonly pause: number;
  /** Least time between two exports or announcements, and between mails without MAIL_RATE. */
  readonly minInterval: number;
  /** Time after the due time when a delivery that keeps failing is dead. */
  readonly giveUpAfter: number;
  /** Least time between two mails about held requests. */
  readonly heldMailInterval: number;
  /** An unfinished delivery this much overdue is reported, and again each time as much passes. */
  readonly alertAfter: number;
  readonly alerts: {
    /** How often recorded alerts are sent. */
    readonly sendEvery: number;
    /** Time without a response of PostgreSQL, or without the schema of this version, after which that is an alert. */
    readonly databaseAwayAfter: number;
  };
  /** How often HEARTBEAT_URL is called. */
  readonly heartbeat: number;
  /** When the checks of the site run: after a start, and from then on. */
  readonly checks: { readonly first: number; readonly every: number };
  readonly smtp: {
    readonly connect: number;
    readonly greeting: number;
    /** Silence on an open connection. */
    readonly socket: number;
  };
  readonly queue: Pick<QueueWorkerOptions, 'lockDuration' | 'stalledInterval'>;
  /** How often what is past its retention time is erased. */
  readonly retention: number;
  /** Time for running deliveries to finish after a signal. */
  readonly shutdown: number;
}

export const productionTimings: Timings = {
  lease: 60 * Second,
  // Shorter than the shutdown: what runs when the signal comes finishes before the process exits.
  attempt: 20 * Second,
  sweep: 30 * Second,
  due: 1 * Second,
  // With a sweep and its wait for the queue, a lead leaves within three minutes.
  directAfter: 2 * Minute,
  queueCheck: 10 * Second,
  // Longer than the age at which the health check fails: orchestrators restart a worker in their own order, before.
  hang: 5 * Minute,
  backOff: mapKinds(({ backOff }) => backOff),
  pause: 15 * Minute,
  minInterval: 1 * Second,
  giveUpAfter: 72 * Hour,
  heldMailInterval: 1 * Hour,
  alertAfter: 15 * Minute,
  alerts: { sendEvery: 30 * Second, databaseAwayAfter: 5 * Minute },
  heartbeat: 5 * Minute,
  checks: { first: 1 * Minute, every: 10 * Minute },
  smtp: { connect: 10 * Second, greeting: 10 * Second, socket: 15 * Second },
  queue: { lockDuration: 30 * Second, stalledInterval: 30 * Second },
  retention: 1 * Day,
  shutdown: 25 * Second,
};

export type RateLimits = Readonly<Record<DeliveryKind, JobRateLimit | undefined>>;

/** One in `ms` milliseconds; BullMQ takes no limit below one. */
const limitTo = (ms: number): JobRateLimit => ({ max: 1, duration: Math.max(1, Math.round(ms)) });

/** The rate limits; mails that are written as files have none unless MAIL_RATE gives one. */
export function getRateLimits(
  { minInterval }: Pick<Timings, 'minInterval'>,
  { rate, smtpUrl }: Config['mail'],
): RateLimits {
  const usual = minInterval > 0 ? limitTo(minInterval) : undefined;
  const unset = smtpUrl ? usual : undefined;
  const mails = rate ? limitTo(rate.windowMs / rate.count) : unset;

  return mapKinds(({ pace }) => (pace === 'mails' ? mails : usual));
}
