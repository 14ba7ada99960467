import { constants } from 'node:os';
import { SiteError } from '../../shared/node/logging/describe-error.ts';
import { SAME_SIGNAL_TIME } from '../../shared/node/process/process.ts';

const NAMES = ['SIGINT', 'SIGTERM'] as const;
type StopSignalName = (typeof NAMES)[number];

const getExitCode = (name: StopSignalName): number => 128 + constants.signals[name];

export class StoppedError extends SiteError {
  override readonly name = 'StoppedError';
  /** The exit code of a process ended by the signal. */
  readonly exitCode: number;

  constructor(name: StopSignalName) {
    super(`Stopped by ${name}.`);
    this.exitCode = getExitCode(name);
  }
}

/** Handles SIGINT and SIGTERM for commands that listen for them. Otherwise the signals end the process. */
export function createStopSignals() {
  const stop = new AbortController();
  let firstAt = 0;
  const handle = (name: StopSignalName) => {
    if (!stop.signal.aborted) {
      firstAt = performance.now();
      stop.abort(new StoppedError(name));
    } else if (performance.now() - firstAt > SAME_SIGNAL_TIME) {
      process.exit(getExitCode(name));
    }
  };

  return {
    /** Returns an AbortSignal that the first signal aborts. A second one, at least a second later, ends the process. */
    listen: (): AbortSignal => {
      for (const name of NAMES) process.on(name, handle);

      return stop.signal;
    },
    close: (): void => {
      for (const name of NAMES) process.off(name, handle);
    },
  };
}
