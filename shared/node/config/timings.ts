import { mapKinds, type Backoff, type DeliveryKind } from '../../deliveries/delivery.ts';
import type { Config } from './config.ts';
import type { JobRateLimit } from '../queues/bullmq.ts';
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
export const productionTimings = {
  /** How long a claimed delivery is a worker's alone. Longer than `attempt`. */
  lease: 60 * Second,
  /** Shorter than the shutdown: what runs when the signal comes finishes before the process exits. */
  attempt: 20 * Second,
  /** How often missing jobs and expired leases are repaired. */
  sweep: 30 * Second,
  /** How often a worker without Redis queries what is due. */
  due: 1 * Second,
  /** What has been claimable for so long is processed without the queue, so that a lead leaves within three minutes. */
  directAfter: 2 * Minute,
  /** Longest time a sweep waits for the queue before it processes without it all that is due. */
  queueCheck: 10 * Second,
  /** A worker without a sweep for so long ends itself: later than orchestrators restart it by its health check. */
  hang: 5 * Minute,
  backOff: mapKinds(({ backOff }): Backoff => backOff),
  /** How long a kind is paused when its other side refuses the credentials. */
  pause: 15 * Minute,
  /** Least time between two exports or announcements, and between mails without MAIL_RATE. */
  minInterval: 1 * Second,
  /** Time after the due time when a delivery that keeps failing is dead. */
  giveUpAfter: 72 * Hour,
  heldMailInterval: 1 * Hour,
  /** An unfinished delivery this much overdue is reported, and again each time as much passes. */
  alertAfter: 15 * Minute,
  /** `databaseAwayAfter`: time without PostgreSQL, or without the schema of this version, until that is an alert. */
  alerts: { sendEvery: 30 * Second, databaseAwayAfter: 5 * Minute },
  /** How often HEARTBEAT_URL is called. */
  heartbeat: 5 * Minute,
  checks: { first: 1 * Minute, every: 10 * Minute },
  smtp: { connect: 10 * Second, greeting: 10 * Second, socket: 15 * Second },
  queue: { lockDuration: 30 * Second, stalledInterval: 30 * Second },
  retention: 1 * Day,
  shutdown: 25 * Second,
};

export type Timings = typeof productionTimings;

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
