import {
  anonymizeSubmissions,
  countExpiredSubmissions,
  listExpiredSubmissions,
} from '../shared/node/contact/anonymize-submissions.ts';
import {
  endQuarantine,
  findRecentRepeat,
  findStoredRequest,
  findSubmission,
  markSubmissionContacted,
} from '../shared/node/contact/contact-submission-store.ts';
import {
  countSubmissions,
  findStoredEmails,
  listSubmissions,
  streamSubjects,
  streamSubmissions,
} from '../shared/node/contact/list-submissions.ts';
import { listOpenSubmissions } from '../shared/node/contact/open-submissions.ts';
import { readResponseTimeMetrics } from '../shared/node/contact/response-time-metrics.ts';
import type { Transaction } from '../shared/node/database/database.ts';
import { cancelErasedDeliveries, cancelFollowUps } from '../shared/node/deliveries/delivery-store.ts';
import {
  countDeliveries,
  countFinishedGroups,
  countUnfinishedGroups,
  listDeliveriesOf,
} from '../shared/node/deliveries/list-deliveries.ts';
import { Hour, Minute } from '../shared/time.ts';
import { getSubmissionId } from './growth-history.ts';

/** A function of the product that asks about requests, called as the product calls it. */
export interface ProductQuery {
  readonly what: string;
  /** What it reads because that is what it is for; else only what it is about. */
  readonly reads?: 'all' | '30 days';
  readonly run: (transaction: Transaction) => Promise<unknown>;
}

const DUE_AFTER = 24 * Hour;
const RETENTION_MONTHS = 24;
const OPEN_ID = getSubmissionId(1);
const HELD_ID = getSubmissionId(31);
const ANSWERED_ID = getSubmissionId(400);
const ANSWERED_EMAIL = 'ada.400@example.org';

/** Begins to read what is streamed: its statement is all that is wanted. */
async function beginReading(batches: AsyncIterable<unknown>): Promise<void> {
  for await (const _batch of batches) return;
}

const forVisitors: readonly ProductQuery[] = [
  {
    what: 'a request: is its id known?',
    run: (transaction) => findStoredRequest(transaction, ANSWERED_ID),
  },
  {
    what: 'a request by the plain form: is it a repeat?',
    run: (transaction) => findRecentRepeat(transaction, 'a'.repeat(64), 10 * Minute),
  },
];

const forWorkers: readonly ProductQuery[] = [
  {
    what: 'a mail: the request it is about',
    run: (transaction) => findSubmission(transaction, OPEN_ID),
  },
  {
    what: 'the link of a mail: note the answer',
    run: (transaction) => markSubmissionContacted(transaction, OPEN_ID),
  },
  {
    what: 'the link of a mail: call off the rest',
    run: (transaction) => cancelFollowUps(transaction, OPEN_ID),
  },
  {
    what: 'digest: what is open',
    run: (transaction) => listOpenSubmissions(transaction, { dueAfterMs: DUE_AFTER, limit: 50 }),
  },
  {
    what: 'digest, doctor: dead deliveries',
    run: (transaction) => countDeliveries(transaction, { state: 'dead' }),
  },
  {
    what: 'metrics: promises of the last 30 days',
    reads: '30 days',
    run: (transaction) =>
      readResponseTimeMetrics(transaction, { reminderAfter: 20 * Hour, dueAfter: DUE_AFTER }),
  },
  {
    what: 'metrics: unfinished deliveries',
    run: (transaction) => countUnfinishedGroups(transaction),
  },
  {
    what: 'metrics: finished deliveries (1 % of the time at most)',
    reads: 'all',
    run: (transaction) => countFinishedGroups(transaction),
  },
  {
    what: 'retention: what to forget',
    reads: 'all',
    run: (transaction) => listExpiredSubmissions(transaction, RETENTION_MONTHS, 500),
  },
  {
    what: 'retention: forget',
    run: (transaction) => anonymizeSubmissions(transaction, [ANSWERED_ID]),
  },
  {
    what: 'retention: call off',
    run: (transaction) => cancelErasedDeliveries(transaction, [ANSWERED_ID]),
  },
  {
    what: 'start of a worker: look for people erased before',
    reads: 'all',
    run: (transaction) => beginReading(streamSubjects(transaction, new Date())),
  },
];

const forOperators: readonly ProductQuery[] = [
  {
    what: '`submissions list`',
    run: (transaction) => listSubmissions(transaction, {}, 50),
  },
  {
    what: '`submissions list`: how many in all',
    reads: 'all',
    run: (transaction) => countSubmissions(transaction, {}),
  },
  {
    what: '`submissions list --open`',
    run: (transaction) => listSubmissions(transaction, { isOpen: true }, 50),
  },
  {
    what: '`submissions list --overdue`',
    run: (transaction) => listSubmissions(transaction, { overdueAfter: DUE_AFTER }, 50),
  },
  {
    what: '`submissions list --overdue`: how many',
    run: (transaction) => countSubmissions(transaction, { overdueAfter: DUE_AFTER }),
  },
  {
    what: '`submissions list --quarantined`',
    run: (transaction) => listSubmissions(transaction, { isQuarantined: true }, 50),
  },
  {
    what: 'doctor: how many are held',
    run: (transaction) => countSubmissions(transaction, { isQuarantined: true }),
  },
  {
    what: '`submissions show`: deliveries',
    run: (transaction) => listDeliveriesOf(transaction, [ANSWERED_ID]),
  },
  {
    what: '`submissions release`',
    run: (transaction) => endQuarantine(transaction, HELD_ID),
  },
  {
    what: '`--email`: spellings of an address',
    reads: 'all',
    run: (transaction) => findStoredEmails(transaction, () => false),
  },
  {
    what: '`--email`: the requests of an address',
    reads: 'all',
    run: (transaction) =>
      beginReading(streamSubmissions(transaction, { emails: [ANSWERED_EMAIL] })),
  },
  {
    what: '`submissions export --all`',
    reads: 'all',
    run: (transaction) => beginReading(streamSubmissions(transaction, {})),
  },
  {
    what: '`retention`: how many are too old',
    reads: 'all',
    run: (transaction) => countExpiredSubmissions(transaction, RETENTION_MONTHS),
  },
];

/** Everything the product asks about requests, by who waits for the answer. */
export const productQueries: readonly ProductQuery[] = [
  ...forVisitors,
  ...forWorkers,
  ...forOperators,
];
