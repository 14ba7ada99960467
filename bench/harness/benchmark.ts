import { constants } from 'node:os';
import { ensureBuilt } from '../../scripts/build.ts';
import { ensurePrerequisites, type Prerequisite } from '../../scripts/prerequisites.ts';
import { publishReport } from './report.ts';

type Cleanup = () => Promise<unknown> | void;

/** Registers what is undone at the end, however that is reached; the last is undone first. */
export type OnCleanup = (cleanup: Cleanup) => void;

/** Options of one execution. */
interface BenchmarkOptions {
  /** One short run of everything: shows that a benchmark works, not how fast the site is. */
  readonly isQuick: boolean;
  /** Paths of the pages that `browser` measures instead of all; empty for all. */
  readonly pages: readonly string[];
}

/** What a benchmark is given. */
export interface BenchmarkContext extends BenchmarkOptions {
  /** Runs of each target; the result is their median. */
  readonly runs: number;
  readonly onCleanup: OnCleanup;
}

/** One part of the benchmarks. */
export interface Benchmark {
  /** Programs of the system that it needs. */
  readonly prerequisites: readonly Prerequisite[];
  /** Packages whose versions the results depend on. */
  readonly packages: readonly string[];
  /** Runs of each target; three by default. */
  readonly runs?: number;
  /** Returns tables and sentences, in Markdown. */
  readonly measure: (context: BenchmarkContext) => Promise<readonly string[]>;
}

/**
 * Runs a benchmark on the built site and publishes its report. A failure sets the exit code 1, a signal
 * ends the process with 128 and its number; cleanups run in both cases.
 */
export async function runBenchmark(
  name: string,
  { prerequisites, packages, runs = 3, measure }: Benchmark,
  options: BenchmarkOptions,
): Promise<void> {
  const cleanups: Cleanup[] = [];
  let closing: Promise<never> | undefined;
  // Each of them, also when one fails: processes that were started would go on.
  const cleanUp = async () => {
    for (const cleanup of cleanups.splice(0)) await Promise.resolve().then(cleanup).catch(console.error);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    // npm forwards the signal that the terminal has sent already: the second must not stop the cleanup.
    process.on(signal, () => {
      closing ??= cleanUp().then(() => process.exit(128 + constants.signals[signal]));
    });
  }
  try {
    await ensurePrerequisites(prerequisites);
    await ensureBuilt();
    const onCleanup: OnCleanup = (cleanup) => cleanups.unshift(cleanup);
    publishReport(name, packages, await measure({ ...options, runs: options.isQuick ? 1 : runs, onCleanup }));
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  } finally {
    await cleanUp();
  }
}
