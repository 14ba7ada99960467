import { writeSync } from 'node:fs';
import { getErrorCode } from './describe-error.ts';

/*
 * Not pino's asynchronous destination (sonic-boom 4.2): on exit it skips the chunk that waits after EAGAIN, so that
 * lines are lost although the reader reads again, and with a reader that hangs the process never exits.
 */

/** A file descriptor. */
const STANDARD_OUTPUT = 1;

/** Bytes that may be buffered while nobody reads; lines beyond them are dropped. */
const MAX_BUFFERED = 1_000_000;

/** Milliseconds between two attempts to write while lines are buffered. */
const RETRY_INTERVAL = 100;

/** Milliseconds that an exiting process waits for a slow reader. */
const EXIT_TIMEOUT = 1_000;

/** Blocks the process for so many milliseconds: an 'exit' listener can't wait otherwise. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Lines that are not written yet. */
interface LineBuffer {
  readonly push: (line: string) => void;
  /** Writes as much as possible; returns the code of the error that stopped it. */
  readonly flush: () => string | undefined;
  readonly countBytes: () => number;
}

function createLineBuffer(): LineBuffer {
  let lines: string[] = [];
  /** The remainder of a partial write. */
  let rest = Buffer.alloc(0);
  let bytes = 0;

  return {
    push: (line) => {
      lines.push(line);
      bytes += Buffer.byteLength(line);
    },
    flush: () => {
      try {
        while (bytes > 0) {
          if (rest.length === 0) {
            rest = Buffer.from(lines.join(''));
            lines = [];
          }
          const written = writeSync(STANDARD_OUTPUT, rest);
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

/**
 * Writes what is buffered, repeatedly while nobody reads, and on exit for a second at most.
 * @param isBuffered whether lines may be left at any exit, not only while nobody reads
 * @param onWritten called whenever all is written
 */
function createFlusher(buffer: LineBuffer, isBuffered: boolean, onWritten: () => void) {
  let retryTimer: NodeJS.Timeout | undefined;

  const flushOnExit = () => {
    const deadline = performance.now() + EXIT_TIMEOUT;
    while (buffer.flush() === 'EAGAIN' && performance.now() < deadline) sleep(10);
  };
  const flush = (): void => {
    if (buffer.flush() !== undefined) {
      if (!retryTimer && !isBuffered) process.once('exit', flushOnExit);
      retryTimer ??= setInterval(flush, RETRY_INTERVAL).unref();

      return;
    }
    if (retryTimer) {
      clearInterval(retryTimer);
      retryTimer = undefined;
      if (!isBuffered) process.off('exit', flushOnExit);
    }
    onWritten();
  };
  if (isBuffered) process.once('exit', flushOnExit);

  return { flush, isRetrying: () => retryTimer !== undefined };
}

/** Where a logger writes. */
interface LogDestination {
  readonly write: (line: string) => void;
}

/**
 * Writes log lines to standard output and never blocks the event loop: lines that can't be written (a pipe that
 * nobody reads, a full disk) are buffered up to a limit, and dropped beyond it. An exiting process flushes the
 * buffer, for a second at most.
 * @param onDropped called with the number of dropped lines once lines can be written again
 * @param isBuffered whether the lines of one turn of the event loop are written together at its end, at
 *   a quarter of the cost; those of the turn in which the process is killed are lost
 */
export function createLogDestination(onDropped: (count: number) => void, isBuffered = false): LogDestination {
  // Opening Node's own stream makes a pipe non-blocking.
  void process.stdout;
  const buffer = createLineBuffer();
  let dropped = 0;
  let isFlushScheduled = false;

  const reportDropped = () => {
    const count = dropped;
    dropped = 0;
    if (count > 0) onDropped(count);
  };
  const flusher = createFlusher(buffer, isBuffered, reportDropped);
  const flushScheduled = () => {
    isFlushScheduled = false;
    flusher.flush();
  };

  return {
    write: (line) => {
      if (buffer.countBytes() > MAX_BUFFERED) {
        dropped += 1;

        return;
      }
      buffer.push(line);
      if (flusher.isRetrying() || isFlushScheduled) return;
      if (!isBuffered) return flusher.flush();
      isFlushScheduled = true;
      setImmediate(flushScheduled);
    },
  };
}
