import { mapKinds, type Backoff, type DeliveryKind } from '../../deliveries/delivery.ts';
import type { Config } from './config.ts';
import type { JobRateLimit } from '../queues/bullmq.ts';
import { Day, Hour, Minute, Second } from '../../time.ts';

/** Returns the delay in milliseconds: `first`, doubled per attempt up to `cap`, minus a random share of up to 25%. */
export function computeBackoff(
  attempts: number,
  { first, cap }: Backoff,
  random: () => number = Math.random,
): number {
  const full = Math.min(cap, first * 2 ** Math.min(Math.max(0, attempts - 1), 30));

  return Math.round(full * (1 - random() / 4));
}

/** The worker's intervals and timeouts, in milliseconds. Tests use shorter ones. */
export const productionTimings = {
  /** How long a claimed delivery belongs to one worker. Longer than `attempt`. */
  lease: 60 * Second,
  /** Timeout of one attempt. Shorter than `shutdown`, so that running attempts finish before the process exits. */
  attempt: 20 * Second,
  /** How often the sweep repairs missing jobs and expired leases. */
  sweep: 30 * Second,
  /** How often a worker without Redis looks for due deliveries. */
  due: 1 * Second,
  /** Deliveries that no worker claims for this long bypass the queue, so that a lead is sent within three minutes. */
  directAfter: 2 * Minute,
  /** How long a sweep waits for the queue before it processes all due deliveries itself. */
  queueCheck: 10 * Second,
  /** A worker exits after this long without a sweep. Orchestrators with a health check restart it sooner. */
  hang: 5 * Minute,
  backOff: mapKinds(({ backOff }): Backoff => backOff),
  /** How long a kind is paused after the receiver refuses the credentials. */
  pause: 15 * Minute,
  /** Minimum time between two exports or announcements, and between mails without MAIL_RATE. */
  minInterval: 1 * Second,
  /** A delivery that still fails this long after its due time becomes dead. */
  deadAfter: 72 * Hour,
  heldMailInterval: 1 * Hour,
  /** A delivery overdue by this long raises an alert. The alert repeats after each further period of this length. */
  alertAfter: 15 * Minute,
  /** `databaseAwayAfter`: alert after this long without PostgreSQL, or without this version's schema. */
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

/** Returns a limit of one job per `ms` milliseconds. BullMQ's minimum is one millisecond. */
const limitTo = (ms: number): JobRateLimit => ({ max: 1, duration: Math.max(1, Math.round(ms)) });

/** Returns the rate limits. Mails written to files have none unless MAIL_RATE is set. */
export function getRateLimits(
  { minInterval }: Pick<Timings, 'minInterval'>,
  { rate, smtpUrl }: Config['mail'],
): RateLimits {
  const usual = minInterval > 0 ? limitTo(minInterval) : undefined;
  const unset = smtpUrl ? usual : undefined;
  const mails = rate ? limitTo(rate.windowMs / rate.count) : unset;

  return mapKinds(({ pace }) => (pace === 'mails' ? mails : usual));
}
