import { setTimeout as wait } from 'node:timers/promises';
import { sendSignal } from '../../scripts/processes.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { Second } from '../../shared/time.ts';
import { waitFor } from '../../tests/support/wait-for.ts';
import { startPinned, type Environment, type PinnedProcess } from '../pinned-process.ts';

/** How often the database is asked whether all is done, in milliseconds. */
const ASK_INTERVAL = 50;

const START_PATIENCE = 90 * Second;

/** Workers that share one core. */
export interface WorkerGroup {
  /** Both of all of them together. */
  readonly readCpuMs: () => Promise<number>;
  readonly readMemoryMib: () => Promise<number>;
  /** Freezes them, and lets them go on. */
  readonly freeze: () => void;
  readonly thaw: () => void;
  readonly stop: () => Promise<void>;
}

/**
 * Starts worker processes on the server's core.
 * @param entry the file that starts one; `jobs/main.ts` is the product's own
 */
export function startWorkers(count: number, settings: Environment, entry: string) {
  const workers = Array.from({ length: count }, () => startPinned([entry], settings));
  const signal = (name: NodeJS.Signals) => workers.forEach(({ pid }) => sendSignal(pid, name));
  const sum = async (read: (worker: PinnedProcess) => Promise<number>) => {
    const figures = await Promise.all(workers.map(read));

    return figures.reduce((total, figure) => total + figure, 0);
  };
  const group: WorkerGroup = {
    readCpuMs: () => sum((worker) => worker.readCpuMs()),
    readMemoryMib: () => sum((worker) => worker.readMemoryMib()),
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
  const untilReady = () =>
    waitFor(
      'the workers',
      () =>
        workers.every((worker) => {
          if (worker.hasExited()) throw new Error(`A worker ended: ${worker.output()}`);

          return worker.output().includes('The worker is ready.');
        }),
      START_PATIENCE,
    );

  return { group, untilReady };
}

/** Waits until no delivery is left to do. @throws after `patience` milliseconds */
export async function untilDone(database: Database, patience: number): Promise<void> {
  const end = performance.now() + patience;
  const isOpen = () =>
    database('deliveries').whereIn('state', ['pending', 'leased']).first('id');
  while ((await isOpen()) !== undefined) {
    if (performance.now() > end) throw new Error('Deliveries are still open.');
    await wait(ASK_INTERVAL);
  }
}
