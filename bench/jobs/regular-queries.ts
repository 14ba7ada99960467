import { randomUUID } from 'node:crypto';
import { claimDigest } from '../../shared/node/digest/digest-store.ts';
import { findSubmission } from '../../shared/node/contact/contact-submission-store.ts';
import { listExpiredSubmissions } from '../../shared/node/contact/anonymize-submissions.ts';
import { streamSubjects } from '../../shared/node/contact/list-submissions.ts';
import { listOpenSubmissions } from '../../shared/node/contact/open-submissions.ts';
import { readResponseTimeMetrics } from '../../shared/node/contact/response-time-metrics.ts';
import type { Database } from '../../shared/node/database/database.ts';
import {
  claimDelivery,
  claimNextDelivery,
  type ClaimedDelivery,
} from '../../shared/node/deliveries/claim-delivery.ts';
import { cancelFollowUps } from '../../shared/node/deliveries/delivery-store.ts';
import { markDeliverySent, recordHandOver } from '../../shared/node/deliveries/leased-delivery.ts';
import {
  countDeliveries,
  countFinishedGroups,
  countUnfinishedGroups,
} from '../../shared/node/deliveries/list-deliveries.ts';
import {
  listPendingDeliveries,
  readLongestWaitMs,
  readOldestOverdueMs,
  releaseExpiredLeases,
} from '../../shared/node/deliveries/sweep-queries.ts';
import { readHold } from '../../shared/node/deliveries/delivery-hold.ts';
import { listPauses } from '../../shared/node/deliveries/delivery-pauses.ts';
import { inspectDatabase } from '../../shared/node/database/inspect-database.ts';
import { Day, Hour, Minute } from '../../shared/time.ts';

/** Something web, worker or the operator's tool ask the database again and again. */
export interface RegularQuery {
  readonly what: string;
  readonly when: string;
  /** What its work grows with, as it is meant to. */
  readonly growsWith: string;
  /** The product's own function. */
  readonly run: (database: Database) => Promise<unknown>;
}

/** Rows of the database that some of the queries are about. */
export interface Subjects {
  /** A delivery that is due, and failed before. */
  readonly dueId: string;
  readonly sentId: string;
  /** The request that the due delivery is about. */
  readonly submissionId: string;
}

const RETENTION_MONTHS = 24;
const lease = { token: randomUUID(), ms: 1 * Minute };

async function readAll(batches: AsyncIterable<unknown>): Promise<void> {
  for await (const _batch of batches);
}

async function claim(database: Database, id: string): Promise<ClaimedDelivery> {
  const claimed = await claimDelivery(database, id, lease);
  if (!claimed) throw new Error('The delivery could not be claimed.');

  return claimed;
}

/** A delivery as a worker has it. */
const makeClaimed = ({ dueId, submissionId }: Subjects): ClaimedDelivery => ({
  id: dueId,
  submissionId,
  subscriptionId: null,
  kind: 'follow-up',
  stage: 'new',
  attempts: 1,
  leaseToken: lease.token,
  overdueMs: 0,
  remoteSteps: {},
  lostAnswers: 0,
  recipient: null,
  lastError: null,
});

const listSweepQueries = (): readonly RegularQuery[] => [
  {
    what: 'leases that ended',
    when: 'sweep',
    growsWith: 'open deliveries',
    run: (database) => releaseExpiredLeases(database, { maxExpiries: 10, maxLostAnswers: 2 }),
  },
  {
    what: 'pending deliveries, 500 a page',
    when: 'sweep',
    growsWith: 'open deliveries',
    run: (database) => readAll(listPendingDeliveries(database)),
  },
  {
    what: 'the next of one kind that the queue left lying',
    when: 'sweep',
    growsWith: 'open deliveries',
    run: (database) => claimNextDelivery(database, 'follow-up', 2 * Minute, lease),
  },
  {
    what: 'longest overdue, for the alert',
    when: 'sweep',
    growsWith: 'open deliveries',
    run: readOldestOverdueMs,
  },
  {
    what: 'whether the digest is to be sent',
    when: 'sweep',
    growsWith: 'nothing',
    run: (database) =>
      claimDigest(database, { timeZone: 'UTC', digestAt: 0, lease: lease.ms }),
  },
];

const listDeliveryQueries = (subjects: Subjects): readonly RegularQuery[] => [
  {
    what: 'claim of one that is due',
    when: 'delivery',
    growsWith: 'nothing',
    run: (database) => claim(database, subjects.dueId),
  },
  {
    what: 'claim of one that is done',
    when: 'job too many',
    growsWith: 'nothing',
    run: (database) => claimDelivery(database, subjects.sentId, lease),
  },
  {
    what: 'claim, request, note that it is sent',
    when: 'delivery',
    growsWith: 'nothing',
    run: async (database) => {
      const claimed = await claim(database, subjects.dueId);
      await findSubmission(database, subjects.submissionId);
      await markDeliverySent(database, claimed, { remoteRef: 'remote', deferred: [] }, 0);
    },
  },
  {
    what: 'note that a mail is about to end',
    when: 'mail',
    growsWith: 'nothing',
    run: (database) => recordHandOver(database, makeClaimed(subjects)),
  },
  {
    what: 'calling off what an answer makes needless',
    when: 'answered request',
    growsWith: 'nothing',
    run: (database) =>
      database.transaction((transaction) => cancelFollowUps(transaction, subjects.submissionId)),
  },
];

const listFigureQueries = (): readonly RegularQuery[] => [
  {
    what: 'open and dead deliveries by kind, stage and state',
    when: 'scrape',
    growsWith: 'open and dead deliveries',
    run: countUnfinishedGroups,
  },
  {
    what: 'finished deliveries by kind, stage and state',
    when: 'scrape, at most 1 % of the time',
    growsWith: 'all deliveries',
    run: countFinishedGroups,
  },
  {
    what: 'promises of the last 30 days',
    when: 'scrape',
    growsWith: 'requests of 30 days',
    run: (database) =>
      readResponseTimeMetrics(database, { reminderAfter: 20 * Hour, dueAfter: 1 * Day }),
  },
  {
    what: 'pauses and hold',
    when: 'scrape, doctor',
    growsWith: 'nothing',
    run: async (database) => {
      await listPauses(database);
      await readHold(database);
    },
  },
  {
    what: 'longest wait',
    when: 'doctor',
    growsWith: 'open deliveries',
    run: readLongestWaitMs,
  },
];

const listDailyQueries = (): readonly RegularQuery[] => [
  {
    what: 'dead deliveries',
    when: 'digest, doctor',
    growsWith: 'dead deliveries',
    run: (database) => countDeliveries(database, { state: 'dead' }),
  },
  {
    what: 'open requests',
    when: 'digest',
    growsWith: 'open requests',
    run: (database) => listOpenSubmissions(database, { dueAfterMs: 1 * Day, limit: 50 }),
  },
  {
    what: 'requests past their retention',
    when: 'day',
    growsWith: 'requests kept so long',
    run: (database) => listExpiredSubmissions(database, RETENTION_MONTHS, 500),
  },
  {
    what: 'everybody, compared with who was erased',
    when: 'day, once anybody was',
    growsWith: 'all requests',
    run: (database) => readAll(streamSubjects(database, new Date())),
  },
  {
    what: 'state of the server (durability)',
    when: 'hour, doctor',
    growsWith: 'nothing',
    run: inspectDatabase,
  },
];

/** All of them, in the order of the report. */
export const listRegularQueries = (subjects: Subjects): readonly RegularQuery[] => [
  ...listSweepQueries(),
  ...listDeliveryQueries(subjects),
  ...listFigureQueries(),
  ...listDailyQueries(),
];
