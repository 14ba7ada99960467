import { writeSync } from 'node:fs';
import { getErrorCode } from './error-code.ts';

/** Bytes that may wait for a reader; what comes after them is dropped. */
const MAX_WAITING = 1_000_000;

/** Milliseconds between two tries while lines wait. */
const RETRY_PAUSE = 100;

/** Milliseconds that an ending process gives a slow reader. */
const LAST_PATIENCE = 1_000;

/** Blocks the process for so many milliseconds: all an ending one can do. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Lines on their way to a file descriptor. */
interface LineQueue {
  readonly push: (line: string) => void;
  /** Writes what can be written; the code of the error that ended it. */
  readonly drain: () => string | undefined;
  readonly countBytes: () => number;
}

function createLineQueue(fd: number): LineQueue {
  let lines: string[] = [];
  /** What is left of lines that were taken in part. */
  let rest = Buffer.alloc(0);
  let bytes = 0;

  return {
    push: (line) => {
      lines.push(line);
      bytes += Buffer.byteLength(line);
    },
    drain: () => {
      try {
        while (bytes > 0) {
          if (rest.length === 0) {
            rest = Buffer.from(lines.join(''));
            lines = [];
          }
          const written = writeSync(fd, rest);
          bytes -= written;
          rest = rest.subarray(written);
        }

        return undefined;
      } catch (error) {
        return getErrorCode(error) ?? 'unknown';
      }
    },
    countBytes: () => bytes,
  };
}

/** Where a logger writes. */
export interface LogDestination {
  readonly write: (line: string) => void;
}

/**
 * Takes log lines and never makes the process wait: they are written at once, and where that can't
 * be (a pipe that nobody reads, a full disk) it waits within a bound and the rest is dropped. A process that
 * ends writes what waits, unless that takes longer than a second.
 * @param fd 1 for standard output, 2 for standard error
 * @param tellDropped called with the number of lost lines once lines are taken again
 * @param gathersLines whether the lines of one turn of the loop are written together at its end, which
 *   makes them cost a quarter; those of the turn in which the process is killed are lost
 */
export function createLogDestination(
  fd: number,
  tellDropped: (count: number) => void,
  gathersLines = false,
): LogDestination {
  // Asked for, Node's own stream makes a pipe refuse when it is full; else it would block.
  void (fd === 2 ? process.stderr : process.stdout);
  const queue = createLineQueue(fd);
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;
  let isGathering = false;

  const drainAtEnd = () => {
    const end = performance.now() + LAST_PATIENCE;
    while (queue.drain() === 'EAGAIN' && performance.now() < end) pause(10);
  };
  const drainOrWait = () => {
    isGathering = false;
    if (queue.drain() !== undefined) {
      if (!timer && !gathersLines) process.once('exit', drainAtEnd);
      timer ??= setInterval(drainOrWait, RETRY_PAUSE).unref();

      return;
    }
    if (timer) {
      clearInterval(timer);
      timer = undefined;
      if (!gathersLines) process.off('exit', drainAtEnd);
    }
    const lost = dropped;
    dropped = 0;
    if (lost > 0) tellDropped(lost);
  };
  if (gathersLines) process.once('exit', drainAtEnd);

  return {
    write: (line) => {
      if (queue.countBytes() > MAX_WAITING) {
        dropped += 1;

        return;
      }
      queue.push(line);
      if (timer || isGathering) return;
      if (!gathersLines) return drainOrWait();
      isGathering = true;
      setImmediate(drainOrWait);
    },
  };
}
