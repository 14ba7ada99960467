import { setTimeout as wait } from 'node:timers/promises';
import { readHeldCounts } from '../../shared/node/contact/quarantine.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { readHold } from '../../shared/node/deliveries/delivery-hold.ts';
import { deliveryKinds } from '../../shared/deliveries/delivery.ts';
import { listPauses, listServedKinds } from '../../shared/node/deliveries/delivery-pauses.ts';
import { countDeliveries } from '../../shared/node/deliveries/list-deliveries.ts';
import { readLongestWaitMs, readOldestOverdueMs } from '../../shared/node/deliveries/sweep-queries.ts';
import { inspectDatabase } from '../../shared/node/database/inspect-database.ts';
import { Hour, Minute, Second } from '../../shared/time.ts';
import { describeHold } from '../deliveries/describe-delivery.ts';
import type { Check, Finding } from './check.ts';

const MAX_OVERDUE = 5 * Minute;

function describeTime(ms: number): string {
  return ms < Hour ? `${Math.round(ms / Minute)} minutes` : `${(ms / Hour).toFixed(1)} hours`;
}

/** Whether what is due is done, and if not, whose fault that is. */
async function lookAtOldest(database: Database): Promise<Finding> {
  const check = 'oldest due delivery';
  const overdue = await readOldestOverdueMs(database);
  if (overdue <= MAX_OVERDUE) {
    return { check, status: 'ok', detail: 'No delivery is more than 5 minutes late.' };
  }
  const isLeft = (await readLongestWaitMs(database)) > MAX_OVERDUE;
  const why = isLeft
    ? 'and nobody tries it: is the worker running?'
    : 'and its tries fail or are held back: see `ops deliveries list --overdue`.';

  return { check, status: 'fail', detail: `A delivery is ${describeTime(overdue)} late, ${why}` };
}

async function lookAtDead(database: Database): Promise<Finding> {
  const check = 'dead deliveries';
  const dead = await countDeliveries(database, { state: 'dead' });

  return dead === 0
    ? { check, status: 'ok', detail: 'None.' }
    : {
        check,
        status: 'warn',
        detail: `${dead} given up: see \`ops deliveries list --state dead\`, then \`ops deliveries retry\`.`,
      };
}

/** After a restore nothing is sent until somebody has looked at it, which is easily forgotten. */
async function lookAtHold(database: Database): Promise<Finding> {
  const check = 'hold';
  const hold = await readHold(database);
  if (!hold) return { check, status: 'ok', detail: 'What is due is sent.' };

  return {
    check,
    status: 'warn',
    detail: `${describeHold(hold)} See \`ops deliveries release\`.`,
  };
}

async function lookAtPauses(database: Database): Promise<readonly Finding[]> {
  const check = 'held back';
  const pauses = await listPauses(database);
  if (pauses.length === 0) return [{ check, status: 'ok', detail: 'No kind of delivery.' }];

  return pauses.map(({ kind, reason, until }) => ({
    check,
    status: 'warn',
    detail: `All of ${kind} until ${until.toISOString()} because of ${reason}: mend it, then \`ops deliveries retry --dead --kind ${kind}\`.`,
  }));
}

/** Exports without a CRM wait for one: whoever sets it should know how many come. */
async function lookAtUnserved(database: Database): Promise<readonly Finding[]> {
  const served = new Set(await listServedKinds(database));
  const unserved = deliveryKinds.filter((kind) => !served.has(kind));

  return Promise.all(
    unserved.map(async (kind) => ({
      check: 'without a provider',
      status: 'info' as const,
      detail: `${await countDeliveries(database, { kind, state: 'pending' })} of ${kind} wait until CRM_PROVIDER names a provider.`,
    })),
  );
}

async function lookAtQuarantine(database: Database): Promise<Finding> {
  const { count, spamCount, oldestAt } = await readHeldCounts(database);
  const decided = spamCount > 0 ? `, ${spamCount} of them marked as spam` : '';

  return {
    check: 'quarantine',
    status: 'info',
    detail:
      count === 0
        ? 'No request is held as spam.'
        : `${count} held as suspected spam, the oldest since ${oldestAt?.toISOString()}${decided}: see \`ops submissions list --quarantined\`.`,
  };
}

/** A worker keeps a connection while it works and opens one for every sweep. */
async function lookAtWorker(database: Database): Promise<Finding> {
  for (let tries = 3; tries > 0; tries -= 1) {
    const { workers } = await inspectDatabase(database);
    if (workers > 0) return { check: 'worker', status: 'ok', detail: 'A worker is connected.' };
    await wait(0.7 * Second);
  }

  return {
    check: 'worker',
    status: 'warn',
    detail: 'No worker is connected to PostgreSQL: nothing is mailed or exported. Start it.',
  };
}

/** How what is owed is doing. */
export const checkDeliveries = (database: Database): readonly Check[] => [
  { name: 'worker', look: () => lookAtWorker(database) },
  { name: 'oldest due delivery', look: () => lookAtOldest(database) },
  { name: 'dead deliveries', look: () => lookAtDead(database) },
  { name: 'hold', look: () => lookAtHold(database) },
  { name: 'held back', look: () => lookAtPauses(database) },
  { name: 'without a provider', look: () => lookAtUnserved(database) },
  { name: 'quarantine', look: () => lookAtQuarantine(database) },
];
