import { prepareStart } from '../../../jobs/prepare-start.ts';
import { makeSweep } from '../../../jobs/deliveries/sweep-deliveries.ts';
import { mapKinds, type DeliveryKind } from '../../../shared/deliveries/delivery.ts';
import { productionTimings } from '../../../shared/node/config/timings.ts';
import { planMorningMails } from '../../../shared/node/deliveries/planned-deliveries.ts';
import { applyErasures } from '../../../shared/node/erasure/apply-erasures.ts';
import { createResponsePromise } from '../../../shared/node/response-promise/response-promise.ts';
import { unobserved } from '../../support/delivery-job.ts';
import { makeCommand, type Command } from './command.ts';
import type { Refusal } from './stepper.ts';
import { createWorker, type Worker } from './worker.ts';
import { getBusyWorkers, getIdleWorkers, pick, type World } from './world.ts';

/*
 * Commands that control workers, the mail server, the CRM and the chat.
 */

const listOpen = ({ stored }: Readonly<World>) =>
  stored.deliveries.filter(({ state }) => state === 'pending' || state === 'leased');

/** A worker gets a delivery's job. The delivery might not be due yet. */
export const runJob = (worker: number, delivery: number): Command =>
  makeCommand({
    call: `runJob(${worker}, ${delivery})`,
    check: (world) => getIdleWorkers(world).length > 0 && listOpen(world).length > 0,
    run: (world) => pick(getIdleWorkers(world), worker).runJob(pick(listOpen(world), delivery).id),
  });

/** A due-runner takes the next delivery of a kind. */
export const runDue = (worker: number, kind: DeliveryKind): Command =>
  makeCommand({
    call: `runDue(${worker}, '${kind}')`,
    check: (world) => getIdleWorkers(world).length > 0 && listOpen(world).length > 0,
    run: (world) => pick(getIdleWorkers(world), worker).runDue(kind),
  });

/** Makes a command for an attempt that waits at a gate. */
const makeAttemptCommand = (
  call: string,
  worker: number,
  run: (worker: Worker) => Promise<unknown>,
  canHappen: (worker: Worker) => boolean = () => true,
): Command => {
  const list = (world: Readonly<World>) => getBusyWorkers(world).filter(canHappen);

  return makeCommand({
    call,
    check: (world) => list(world).length > 0,
    run: (world) => run(pick(list(world), worker)),
  });
};

/** An attempt continues to its next gate (composed, handed over or taken) or to its end. */
export const goOn = (worker: number): Command =>
  makeAttemptCommand(`goOn(${worker})`, worker, (one) => one.goOn('go-on'));

const isBeforeTaken = (worker: Worker) =>
  ['composed', 'handed-over'].includes(worker.getGate() ?? '');

/** The receiver refuses. */
export const refuse = (worker: number, refusal: Refusal): Command =>
  makeAttemptCommand(`refuse(${worker}, '${refusal}')`, worker, (one) => one.goOn(refusal), isBeforeTaken);

/** The mail server accepts a mail for all recipients except one, whom it refuses temporarily. */
export const defer = (worker: number): Command =>
  makeAttemptCommand(
    `defer(${worker})`,
    worker,
    (one) => one.goOn('defer'),
    (one) => one.getGate() === 'handed-over',
  );

/** The connection breaks, and the receiver's response is lost. */
export const loseResponse = (worker: number): Command =>
  makeAttemptCommand(
    `loseResponse(${worker})`,
    worker,
    (one) => one.fail(Object.assign(new Error('Lost.'), { code: 'ECONNRESET' })),
    (one) => one.getGate() !== 'claimed',
  );

/** A worker is killed during an attempt. */
export const crash = (worker: number): Command =>
  makeCommand({
    call: `crash(${worker})`,
    check: (world) => getBusyWorkers(world).length > 0,
    run: async (world) => {
      const crashed = pick(getBusyWorkers(world), worker);
      await crashed.crash();
      world.workers[world.workers.indexOf(crashed)] = undefined;
    },
  });

/** A new worker replaces a crashed one. */
export const startWorker = (): Command =>
  makeCommand({
    call: 'startWorker()',
    check: ({ workers }) => workers.includes(undefined),
    run: async (world) => {
      const { config, database, logger } = world.site;
      await prepareStart(config, database, logger, Infinity, new AbortController().signal);
      await applyErasures(database, config);
      world.workers[world.workers.indexOf(undefined)] = createWorker(world.site, world.history, world.assignment);
    },
  });

/** One of the workers sweeps. */
export async function runSweep({ site }: World): Promise<void> {
  const unused = () => Promise.reject(new Error('Without a queue a sweep processes nothing.'));
  const sweep = makeSweep({
    ...unobserved,
    database: site.database,
    logger: site.logger,
    timings: productionTimings,
    handlers: mapKinds(() => unused),
    limiters: mapKinds(() => unused),
    scheduler: undefined,
    planners: [() => planMorningMails(site.database, { promise: createResponsePromise(site.config.followUp), timeZone: 'UTC' })],
  });
  await sweep(new AbortController().signal);
}

export const sweep = (): Command =>
  makeCommand({
    call: 'sweep()',
    check: ({ stored }) =>
      stored.deliveries.some(({ state, stage }) => state === 'leased' || (state === 'sent' && (stage === 'due' || stage === 'overdue'))),
    run: runSweep,
  });
