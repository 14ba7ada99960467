import { setTimeout as wait } from 'node:timers/promises';
import { readHeldCounts } from '../../shared/node/held-requests/held-requests.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { readHold } from '../../shared/node/deliveries/delivery-hold.ts';
import { deliveryKinds } from '../../shared/deliveries/delivery.ts';
import { listPauses, listServedKinds } from '../../shared/node/deliveries/delivery-pauses.ts';
import { countDeliveries } from '../../shared/node/deliveries/list-deliveries.ts';
import { LATE_AFTER, readLongestWaitMs, readOldestOverdueMs } from '../../shared/node/deliveries/sweep-queries.ts';
import { inspectDatabase } from '../../shared/node/database/inspect-database.ts';
import { fail, pass, warn, type Check, type CheckOutcome } from '../../shared/node/monitoring/check.ts';
import { Second } from '../../shared/time.ts';
import { formatDuration } from '../cli/terminal.ts';
import { describeHold } from '../deliveries/describe-delivery.ts';

/** Checks the oldest overdue delivery; if it is late, whether no worker attempts it or its attempts fail. */
async function checkOldest(database: Database): Promise<CheckOutcome> {
  const overdue = await readOldestOverdueMs(database);
  if (overdue <= LATE_AFTER) return pass('No delivery is more than 5 minutes late.');
  const isWaiting = (await readLongestWaitMs(database)) > LATE_AFTER;
  const why = isWaiting
    ? 'and no worker attempts it: is the worker running?'
    : 'and its attempts fail or are paused: see `ops deliveries list --overdue`.';

  return fail(`A delivery is ${formatDuration(overdue)} late, ${why}`);
}

async function checkDead(database: Database): Promise<CheckOutcome> {
  const dead = await countDeliveries(database, { state: 'dead' });

  return dead === 0
    ? pass('None.')
    : warn(`${dead} failed permanently: see \`ops deliveries list --state dead\`, then \`ops deliveries retry\` or \`cancel\`.`);
}

/** After a restore nothing is sent until an operator releases it, which is easily forgotten. */
async function checkHold(database: Database): Promise<CheckOutcome> {
  const hold = await readHold(database);

  return hold
    ? warn(`${describeHold(hold)} See \`ops deliveries release\`.`)
    : pass('Due deliveries are sent.');
}

async function checkPauses(database: Database): Promise<readonly CheckOutcome[]> {
  const pauses = await listPauses(database);
  if (pauses.length === 0) return [pass('No kind of delivery is paused.')];

  return pauses.map(({ kind, reason, until }) =>
    warn(
      `${kind} is paused until ${until.toISOString()} because of ${reason}: fix that, then \`ops deliveries retry --dead --kind ${kind}\`.`,
    ),
  );
}

/** Exports stay pending without a CRM; an operator who sets one should know how many will be sent. */
async function checkUnserved(database: Database): Promise<readonly CheckOutcome[]> {
  const served = new Set(await listServedKinds(database));
  const unserved = deliveryKinds.filter((kind) => !served.has(kind));

  return Promise.all(
    unserved.map(async (kind) => ({
      state: 'info' as const,
      detail: `${await countDeliveries(database, { kind, state: 'pending' })} of ${kind} wait until CRM_PROVIDER names a provider.`,
    })),
  );
}

async function checkQuarantine(database: Database): Promise<CheckOutcome> {
  const { count, spamCount, oldestAt } = await readHeldCounts(database);
  const decided = spamCount > 0 ? `, ${spamCount} of them marked as spam` : '';

  return {
    state: 'info',
    detail:
      count === 0
        ? 'No request is held as spam.'
        : `${count} held as suspected spam, the oldest since ${oldestAt?.toISOString()}${decided}: see \`ops submissions list --quarantined\`.`,
  };
}

/** Checks for a worker's connections: it has one while it works and opens one for every sweep. */
async function checkWorker(database: Database): Promise<CheckOutcome> {
  for (let attempts = 3; attempts > 0; attempts -= 1) {
    const { workers } = await inspectDatabase(database);
    if (workers > 0) return pass('A worker is connected.');
    await wait(0.7 * Second);
  }

  return warn('No worker is connected to PostgreSQL: nothing is mailed or exported. Start it.');
}

/** The checks of deliveries and of the worker that processes them. */
export const checkDeliveries = (database: Database): readonly Check[] => [
  { name: 'worker', run: () => checkWorker(database) },
  { name: 'oldest due delivery', run: () => checkOldest(database) },
  { name: 'dead deliveries', run: () => checkDead(database) },
  { name: 'hold', run: () => checkHold(database) },
  { name: 'paused kinds', run: () => checkPauses(database) },
  { name: 'without a provider', run: () => checkUnserved(database) },
  { name: 'quarantine', run: () => checkQuarantine(database) },
];
