import type { DeliveryKind } from '../../deliveries/delivery.ts';
import type { Config } from './config.ts';
import type { WorkerSettings } from '../queues/job-queue.ts';
import { Day, Hour, Minute, Second } from '../../time.ts';

/** Wait after the first failure, in milliseconds; doubles with each, up to `cap`. */
export interface Backoff {
  readonly first: number;
  readonly cap: number;
}

/** A mail goes out within five minutes of the mail server's return. */
const mailBackOff: Backoff = { first: 30 * Second, cap: 4 * Minute };

/** The lease, sweep, back-off and alert times of the worker, in milliseconds; the entry file gives them. */
export interface Timings {
  /** How long a claimed delivery is a worker's alone. Longer than `effect`. */
  readonly lease: number;
  /** Longest time one mail or export may take. */
  readonly effect: number;
  /** How often missing jobs and expired leases are looked for. */
  readonly sweep: number;
  /** What could have been tried for so long is carried out without the queue, whatever that does. */
  readonly directAfter: number;
  /** Longest time a sweep waits for the queue before it carries out without it all that is due. */
  readonly queueCheck: number;
  /** A worker that has not ended a sweep for so long ends itself. */
  readonly hang: number;
  readonly backOff: Readonly<Record<DeliveryKind, Backoff>>;
  /** How long a kind is held back when its other side refuses the credentials. */
  readonly pause: number;
  /**
   * Least time between two deliveries of one kind, so that a backlog doesn't leave as a burst; of
   * mails where MAIL_RATE doesn't say otherwise. Milliseconds.
   */
  readonly pace: number;
  /** Time after the due time when a delivery that keeps failing is given up. */
  readonly giveUpAfter: number;
  readonly heldMails: {
    /** A request is listed only when it was held for so long: a browser's proof of work may release it. */
    readonly delay: number;
    /** Least time between two mails about held requests. */
    readonly interval: number;
  };
  /** An unfinished delivery this much overdue is reported, and again each time as much passes. */
  readonly alertAfter: number;
  readonly alerts: {
    /** How often recorded alerts are sent. */
    readonly sendEvery: number;
    /** Time without an answer of PostgreSQL after which that is an alert. */
    readonly databaseAwayAfter: number;
  };
  readonly smtp: {
    readonly connect: number;
    readonly greeting: number;
    /** Silence on an open connection. */
    readonly socket: number;
  };
  readonly queue: Pick<WorkerSettings, 'lockDuration' | 'stalledInterval'>;
  /** How often what is too old is forgotten. */
  readonly retention: number;
  /** Time for running deliveries to end after a signal. */
  readonly shutdown: number;
}

export const productionTimings: Timings = {
  lease: 60 * Second,
  // Shorter than the shutdown: what runs when the signal comes ends before the process.
  effect: 20 * Second,
  sweep: 30 * Second,
  // With a sweep and its wait for the queue, a lead leaves within three minutes.
  directAfter: 2 * Minute,
  queueCheck: 10 * Second,
  // Longer than MAX_HEARTBEAT_AGE: orchestrators restart a worker in their own order, before.
  hang: 5 * Minute,
  backOff: {
    'follow-up': mailBackOff,
    newsletter: mailBackOff,
    'crm-export': { first: 30 * Second, cap: 1 * Hour },
  },
  pause: 15 * Minute,
  pace: 1 * Second,
  giveUpAfter: 72 * Hour,
  heldMails: { delay: 30 * Second, interval: 1 * Hour },
  alertAfter: 15 * Minute,
  alerts: { sendEvery: 30 * Second, databaseAwayAfter: 5 * Minute },
  smtp: { connect: 10 * Second, greeting: 10 * Second, socket: 15 * Second },
  queue: { lockDuration: 30 * Second, stalledInterval: 30 * Second },
  retention: 1 * Day,
  shutdown: 25 * Second,
};

/** Least time between two deliveries, by kind, in milliseconds; 0: none. */
export type Paces = Readonly<Record<DeliveryKind, number>>;

/** The pace of each kind; mails that are written as files have none unless MAIL_RATE gives one. */
export function getPaces({ pace }: Timings, { rate, smtpUrl }: Config['mail']): Paces {
  const defaultPace = smtpUrl ? pace : 0;
  // A limit of BullMQ is at least a millisecond.
  const mails = rate ? Math.max(1, Math.round(rate.windowMs / rate.count)) : defaultPace;

  return { 'follow-up': mails, newsletter: mails, 'crm-export': pace };
}
