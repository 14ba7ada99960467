import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Processor time of a file, and of the processes it started; unknown without /proc. */
    processorSeconds?: number;
  }
}

/** The unit of times in /proc, on every Linux that Node runs on: `getconf CLK_TCK`. */
const TICKS_PER_SECOND = 100;

interface ProcessTimes {
  readonly pid: number;
  readonly parent: number;
  /** User and system time of the process, and of its children that are gone. */
  readonly ticks: number;
}

/** Nothing of a process that ended meanwhile. */
function readTimes(pid: string): ProcessTimes[] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    // ppid; utime, stime, cutime and cstime: proc(5).
    const ticks = fields.slice(11, 15).reduce((sum, part) => sum + Number(part), 0);

    return [{ pid: Number(pid), parent: Number(fields[1]), ticks }];
  } catch {
    return [];
  }
}

/**
 * Processor time of this process and of all it started: of those that run, and of those that ended, which their
 * parents count. A browser is read before it is closed: its pages end after it, and then nobody counts them.
 */
function readProcessorSeconds(): number | undefined {
  if (!existsSync('/proc/self/stat')) return undefined;
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap(readTimes);
  const sumTicks = ({ pid, ticks }: ProcessTimes): number =>
    all.filter(({ parent }) => parent === pid).map(sumTicks).reduce((sum, part) => sum + part, ticks);

  const [own] = all.filter(({ pid }) => pid === process.pid);

  return own && sumTicks(own) / TICKS_PER_SECOND;
}

// Files of a project may share a process.
const before = readProcessorSeconds();

// Before what `beforeAll` returned is called: a browser still runs.
afterAll(({}, { file }) => {
  const after = readProcessorSeconds();
  if (before !== undefined && after !== undefined) file.meta.processorSeconds = after - before;
});
