import cluster, { type Worker } from 'node:cluster';
import { existsSync } from 'node:fs';
import { Second } from '../../time.ts';
import { createLogger } from '../logging/logger.ts';
import { findBuild, publishedFolder } from './build-folder.ts';

/** How often to check for a new build, in milliseconds. */
const CHECK_INTERVAL = 1 * Second;

/** Message that a process sends when it is ready, so the previous process can exit. */
const READY = 'ready';

/** Reports to the switcher that this process is ready. Does nothing if there is no switcher. */
export function reportReady(): void {
  process.send?.(READY);
}

interface Run {
  readonly worker: Worker;
  readonly build: string;
}

/**
 * Runs the program with the current build, and starts a new process when the build changes. The processes share their
 * sockets (`node:cluster`). The old one keeps serving until the new one is ready, and continues if the new one fails.
 */
function switchBuilds(name: string): void {
  const logger = createLogger({ level: 'info', process: `${name}-switcher` });
  const running = new Set<Worker>();
  let isStopping = false;
  let exitCode = 0;
  let next: Run | undefined;

  const start = (build: string): Run => {
    const worker = cluster.fork({ SITE_BUILD: build });
    running.add(worker);

    return { worker, build };
  };
  let current = start(findBuild());
  let wanted = current.build;

  const checkBuild = () => {
    const build = findBuild();
    if (isStopping || build === wanted) return;
    wanted = build;
    next?.worker.process.kill('SIGKILL');
    next = build === current.build ? undefined : start(build);
  };
  const takeOver = (run: Run) => {
    logger.info({ build: run.build }, 'Switched to another build.');
    current.worker.process.kill('SIGTERM');
    current = run;
    next = undefined;
  };
  const handleExit = (worker: Worker, code: number | null) => {
    running.delete(worker);
    if (worker === current.worker) exitCode = code ?? 1;
    if (isStopping ? running.size === 0 : worker === current.worker) process.exit(exitCode);
    if (worker !== next?.worker) return;
    logger.error({ build: next.build, code }, 'The new build failed to start. The site keeps the current one.');
    next = undefined;
  };

  cluster.on('exit', handleExit);
  cluster.on('message', (worker, message) => {
    if (message === READY && next && worker === next.worker) takeOver(next);
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      isStopping = true;
      for (const worker of running) worker.process.kill(signal);
    });
  }
  setInterval(checkBuild, CHECK_INTERVAL);
}

/** Runs a program in this process or, where builds are published, in one process per build. */
export async function runWithCurrentBuild(name: string, load: () => Promise<unknown>): Promise<void> {
  if (cluster.isPrimary && existsSync(publishedFolder)) switchBuilds(name);
  else await load();
}
