import { setTimeout as wait } from 'node:timers/promises';
import { deliveryKinds } from '../../deliveries/delivery.ts';
import { formatCount } from '../../format-count.ts';
import { Minute, Second } from '../../time.ts';
import { inspectDatabase } from '../database/inspect-database.ts';
import { describeHold, readHold } from '../deliveries/delivery-hold.ts';
import { listPauses, listKindsWithProvider } from '../deliveries/delivery-pauses.ts';
import { countDeliveries } from '../deliveries/list-deliveries.ts';
import { countForgotten, MAX_MORNINGS } from '../deliveries/planned-deliveries.ts';
import { LATE_AFTER, readLongestWaitMs, readOldestOverdueMs } from '../deliveries/sweep-queries.ts';
import { inspectErasureLog } from '../erasure/erasure-log.ts';
import { readHeldCounts } from '../held-requests/held-requests.ts';
import { readTrial } from './try-form.ts';
import { defineCheck, fail, pass, warn, type Site, type SiteCheck } from './check.ts';

/** Counts worker connections. Retries, because an idle worker connects only for a sweep. */
async function countWorkers({ database }: Site): Promise<number> {
  for (let attempts = 3; attempts > 1; attempts -= 1) {
    const { workers } = await inspectDatabase(database);
    if (workers > 0) return workers;
    await wait(0.7 * Second);
  }

  return (await inspectDatabase(database)).workers;
}

/** Tolerates one failure, which a restart of web may cause. */
const MAX_FAILED_TRIALS = 1;

export const databaseChecks: readonly SiteCheck[] = [
  defineCheck({
    name: 'durability',
    read: ({ database }) => inspectDatabase(database),
    // The site starts even if this check fails, because a site that is down loses every request (decision 002).
    assess: ({ fsync, fullPageWrites }) => [
      { check: 'fsync', ...(fsync === 'on' ? pass : fail)(`fsync is ${fsync}.`) },
      { check: 'full_page_writes', ...(fullPageWrites === 'on' ? pass : fail)(`full_page_writes is ${fullPageWrites}.`) },
    ],
    alert: 'database-not-durable',
  }),
  defineCheck({
    name: 'worker',
    read: countWorkers,
    assess: (workers) =>
      workers > 0
        ? pass('A worker is connected.')
        : warn('No worker is connected to PostgreSQL: nothing is mailed or exported.'),
    advice: 'Start the worker.',
  }),
  defineCheck({
    name: 'oldest due delivery',
    read: async ({ database }) => ({
      overdueMs: await readOldestOverdueMs(database),
      waitMs: await readLongestWaitMs(database),
    }),
    assess: ({ overdueMs, waitMs }) => {
      if (overdueMs <= LATE_AFTER) return pass('No delivery is more than 5 minutes late.');
      const why = waitMs > LATE_AFTER ? 'no worker attempts it' : 'its attempts fail or are paused';

      return fail(`A delivery is ${formatCount(Math.floor(overdueMs / Minute), 'minute')} late, and ${why}.`);
    },
    alert: 'delivery-overdue',
    stopsHeartbeat: true,
  }),
  defineCheck({
    name: 'form',
    read: ({ database }) => readTrial(database),
    assess: (trial, now) => {
      if (!trial) return { state: 'info', detail: 'No worker has tried it yet.' };
      const minutes = formatCount(Math.max(0, Math.floor((now - trial.triedAt.getTime()) / Minute)), 'minute');
      const detail = `${trial.detail} That was ${minutes} ago.`;
      if (trial.failures > MAX_FAILED_TRIALS) return fail(detail);

      return trial.failures === 0 ? pass(detail) : { state: 'info', detail };
    },
    alert: 'form-unreachable',
    stopsHeartbeat: true,
  }),
  defineCheck({
    name: 'dead deliveries',
    read: ({ database }) => countDeliveries(database, { state: 'dead' }),
    assess: (dead) => (dead === 0 ? pass('None.') : warn(`${dead} failed permanently.`)),
    alert: 'delivery-dead',
  }),
  defineCheck({
    name: 'forgotten requests',
    read: ({ database }) => countForgotten(database),
    assess: (forgotten) =>
      forgotten === 0
        ? pass('None.')
        : warn(`${formatCount(forgotten, 'overdue request')} mailed to sales on ${MAX_MORNINGS} mornings or more.`),
    alert: 'request-forgotten',
  }),
  defineCheck({
    name: 'hold',
    read: ({ database }) => readHold(database),
    assess: (hold) => (hold ? warn(describeHold(hold)) : pass('Due deliveries are sent.')),
    alert: 'deliveries-held',
  }),
  defineCheck({
    name: 'paused kinds',
    read: ({ database }) => listPauses(database),
    assess: (pauses) =>
      pauses.length === 0
        ? pass('No kind of delivery is paused.')
        : pauses.map(({ kind, reason, until }) =>
            warn(`${kind} is paused until ${until.toISOString()} because of ${reason}.`),
          ),
    alert: 'kind-paused',
  }),
  defineCheck({
    name: 'without a provider',
    // Setting CRM_PROVIDER will send these exports.
    read: async ({ database }) => {
      const served = new Set(await listKindsWithProvider(database));
      const unserved = deliveryKinds.filter((kind) => !served.has(kind));

      return Promise.all(
        unserved.map(async (kind) => ({ kind, count: await countDeliveries(database, { kind, state: 'pending' }) })),
      );
    },
    assess: (waiting) =>
      waiting.map(({ kind, count }) => ({
        state: 'info',
        detail: `Deliveries of kind ${kind} that wait until CRM_PROVIDER names a provider: ${count}.`,
      })),
  }),
  defineCheck({
    name: 'quarantine',
    read: ({ database }) => readHeldCounts(database),
    assess: ({ count, spamCount, oldestAt }) => ({
      state: 'info',
      detail:
        count === 0
          ? 'No request is held as suspected spam.'
          : `${count} held as suspected spam, ${spamCount} of them marked as spam, the oldest since ${oldestAt?.toISOString()}: see \`ops submissions list --quarantined\`.`,
    }),
  }),
  defineCheck({
    name: 'erasures',
    read: async ({ database, config }) => ({
      ...(await inspectErasureLog(database, config)),
      isHeld: (await readHold(database)) !== undefined,
    }),
    assess: ({ count, problem, isHeld }) => {
      if (problem === undefined) return pass(count === 0 ? 'Nobody was erased.' : `${count} on record.`);

      return isHeld ? fail(`${problem} Until then nothing is released.`) : warn(problem);
    },
    alert: 'erasure-log-incomplete',
    advice:
      'Where no backup was restored, the worker completes the log from the database within a day; move the file away if it is damaged.',
  }),
];
