import type { DeliveryKind } from '../../shared/deliveries/delivery.ts';
import { countDeliveries } from '../../shared/node/deliveries/list-deliveries.ts';
import { Minute, Second } from '../../shared/time.ts';
import { addDueDeliveries, addDueSubmissions, emptyTables } from './fill-database.ts';
import type { Rate } from './rate.ts';
import type { Site } from './servers.ts';
import type { Count } from './sink.ts';
import { startWorkers, untilDone, type WorkerGroup } from './worker-group.ts';

/** The worker with production's timings, its pace taken out. */
const UNPACED_WORKER = 'bench/jobs/worker-entry.ts';
const WORKER = 'jobs/main.ts';

const PATIENCE = 15 * Minute;

/** So many of each kind arrived, each once. @throws when not */
function checkArrivals(name: string, { all, distinct }: Count, expected: number): void {
  if (all === expected && distinct === expected) return;
  throw new Error(`Of ${expected} ${name} ${distinct} arrived, ${all} times.`);
}

async function forgetAll({ database, emptyQueues, sink }: Site): Promise<void> {
  await emptyTables(database);
  await emptyQueues();
  await sink.forget();
}

/** Frozen workers take no jobs, and no signal to end. */
async function whileFrozen<Result>(workers: WorkerGroup, work: () => Promise<Result>): Promise<Result> {
  workers.freeze();
  try {
    return await work();
  } finally {
    workers.thaw();
  }
}

/** Queues deliveries while the workers are frozen, and takes the time from then to the last one. */
async function timeDeliveries(
  { database, scheduler }: Site,
  workers: WorkerGroup,
  { kind, count }: { readonly kind: DeliveryKind; readonly count: number },
): Promise<Rate> {
  const deliveries = await addDueDeliveries(database, kind, count);
  const cpuBefore = await whileFrozen(workers, async () => {
    await scheduler.schedule(deliveries);

    return workers.readCpuMs();
  });
  const begunAt = performance.now();
  await untilDone(database, PATIENCE);
  const ms = performance.now() - begunAt;

  return {
    perSecond: (count / ms) * Second,
    cpuMs: ((await workers.readCpuMs()) - cpuBefore) / count,
    memoryMib: await workers.readMemoryMib(),
  };
}

export interface RateRun {
  readonly kind: DeliveryKind;
  readonly workers: number;
  /** Deliveries of each worker, and before them, untimed. */
  readonly count: number;
  readonly warmUp: number;
  /** As in production: held back to one a second. */
  readonly isPaced?: boolean;
}

/** Measures how fast running workers do what is queued. @throws when one wasn't done exactly once */
export async function measureRate(site: Site, run: RateRun): Promise<Rate> {
  const { kind, workers: size, isPaced = false } = run;
  const [count, warmUp] = [run.count * size, run.warmUp * size];
  await forgetAll(site);
  const { group, untilReady } = startWorkers(size, site.settings, isPaced ? WORKER : UNPACED_WORKER);
  try {
    await untilReady();
    await timeDeliveries(site, group, { kind, count: warmUp });
    const rate = await timeDeliveries(site, group, { kind, count });
    const { mails, events } = await site.sink.read();
    checkArrivals('deliveries', kind === 'follow-up' ? mails : events, count + warmUp);

    return rate;
  } finally {
    await group.stop();
  }
}

/** How a backlog was worked off. */
export interface Drain extends Rate {
  readonly seconds: number;
}

/**
 * Starts workers beside requests whose deliveries are all due and have no jobs, as when Redis has
 * lost its data, and takes the time from the workers' spawn to the last delivery. Each request has
 * three mails and an export.
 * @throws when one wasn't done exactly once
 */
export async function measureDrain(
  site: Site,
  { requests, workers: size }: { readonly requests: number; readonly workers: number },
): Promise<Drain> {
  await forgetAll(site);
  await addDueSubmissions(site.database, requests);
  const begunAt = performance.now();
  const { group, untilReady } = startWorkers(size, site.settings, UNPACED_WORKER);
  try {
    await untilReady();
    await untilDone(site.database, PATIENCE);
    const seconds = (performance.now() - begunAt) / Second;
    const { mails, events } = await site.sink.read();
    checkArrivals('mails', mails, 3 * requests);
    checkArrivals('exports', events, requests);
    const sent = await countDeliveries(site.database, { state: 'sent' });
    if (sent !== 4 * requests) throw new Error(`Only ${sent} deliveries were sent.`);

    return {
      seconds,
      perSecond: (4 * requests) / seconds,
      cpuMs: (await group.readCpuMs()) / (4 * requests),
      memoryMib: await group.readMemoryMib(),
    };
  } finally {
    await group.stop();
  }
}
