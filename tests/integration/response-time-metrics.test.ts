import { expect, onTestFinished, test } from 'vitest';
import { readResponseTimeMetrics } from '../../shared/node/contact/response-time-metrics.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { Hour } from '../../shared/time.ts';
import { ago } from '../support/ago.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { storeSubmission } from '../support/stored-requests.ts';

const promise = createResponsePromise({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour });

/** Times in hours before now. */
interface Past {
  readonly received: number;
  readonly contacted?: number;
  readonly unfit?: number;
  readonly anonymized?: number;
  readonly quarantined?: number;
  readonly released?: number;
}

async function insert(database: Database, past: Past): Promise<void> {
  const at = (hours?: number) => (hours === undefined ? null : ago(hours * Hour));

  await storeSubmission(database, {
    received_at: at(past.received),
    contacted_at: at(past.contacted),
    unfit_at: at(past.unfit),
    anonymised_at: at(past.anonymized),
    quarantined_at: at(past.quarantined),
    released_at: at(past.released),
  });
}

const nothing = { decided: 0, metWithin: 0, overdue: 0, atRisk: 0, quarantined: 0 };
const DAYS = 24;

test.each<[string, Past, Partial<typeof nothing>]>([
  ['a new open request is not counted', { received: 2 }, {}],
  ['an open request after its reminder is at risk', { received: 21 }, { atRisk: 1 }],
  ['an open request after the promised time is overdue and breaks the promise', { received: 25 }, { decided: 1, overdue: 1 }],
  ['an answer in time keeps the promise', { received: 30, contacted: 10 }, { decided: 1, metWithin: 1 }],
  ['an answer before the promised time counts immediately', { received: 2, contacted: 1 }, { decided: 1, metWithin: 1 }],
  ['a late answer breaks the promise', { received: 50, contacted: 10 }, { decided: 1 }],
  ['a request that is not a fit is not counted', { received: 21, unfit: 1 }, {}],
  ['an answered request still counts after its erasure', { received: 50, contacted: 40, anonymized: 1 }, { decided: 1, metWithin: 1 }],
  ['a request erased unanswered after the promised time breaks the promise and is not overdue', { received: 50, anonymized: 1 }, { decided: 1 }],
  ['a request erased before the promised time is not counted', { received: 50, anonymized: 40 }, {}],
  ['a held request is counted only as held', { received: 50, quarantined: 50 }, { quarantined: 1 }],
  ['a released request’s time starts at its release', { received: 50, released: 21 }, { atRisk: 1 }],
  ['a request received over 30 days ago is not counted', { received: 32 * DAYS, contacted: 1 }, {}],
])('in the promise metrics, %s', async (_rule, past, expected) => {
  const database = openDatabase(await createMigratedDatabase(), onTestFinished);
  await insert(database, past);

  expect(await readResponseTimeMetrics(database, promise)).toEqual({ ...nothing, ...expected });
});
