import { readFileSync } from 'node:fs';
import { afterAll } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** Processor time of a file, and of the processes it started and ended; unknown without /proc. */
    processorSeconds?: number;
  }
}

/** The unit of times in /proc, on every Linux that Node runs on: `getconf CLK_TCK`. */
const TICKS_PER_SECOND = 100;

/** User and system time of this process and of its children that are gone; undefined without /proc. */
function readProcessorSeconds(): number | undefined {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    // utime, stime, cutime and cstime: proc(5).
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND;
  } catch {
    return undefined;
  }
}

// Files of a project may share a process.
const before = readProcessorSeconds();

// The first hook is the last that runs: the servers of the file are gone by then.
afterAll(({}, { file }) => {
  const after = readProcessorSeconds();
  if (before !== undefined && after !== undefined) file.meta.processorSeconds = after - before;
});
