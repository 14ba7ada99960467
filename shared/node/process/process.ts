import { formatError, SiteError } from '../logging/describe-error.ts';
import type { Logger } from '../logging/logger.ts';

/** Writes why a process could not start: what an operator can do about it, or what may be logged of the error. */
function reportFailure(error: unknown): void {
  // An error of our own with nothing below it says all there is to say.
  const isSentence = error instanceof SiteError && error.cause === undefined;
  process.stderr.write(`${isSentence ? error.message : formatError(error)}\n`);
}

/** Runs a process's start (or whole life); a failure is reported and ends it with code 1. */
export async function exitOnFailure(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    reportFailure(error);
    process.exit(1);
  }
}

/** A terminal and npm both send a signal to what they started: two at once mean one. */
const SAME_SIGNAL_TIME = 1_000;

/**
 * Ends the process in order on SIGTERM or SIGINT: `steps` one after another, within
 * `deadlineMs`; a second signal, a second later or more, ends it at once with code 1. So does an
 * unhandled error, which is logged once. Lines that wait are written at the exit (`log-destination.ts`).
 */
export function shutDownOnSignal(options: {
  readonly logger: Logger;
  readonly deadlineMs: number;
  readonly steps: ReadonlyArray<() => Promise<unknown>>;
}): void {
  const { logger, deadlineMs, steps } = options;
  let endsSince: number | undefined;

  const end = async (signal: string) => {
    endsSince = performance.now();
    logger.info({ signal }, 'Shutting down.');
    setTimeout(() => {
      logger.error({ deadlineMs }, 'Shutting down took too long.');
      process.exit(1);
    }, deadlineMs).unref();

    for (const step of steps) {
      await step().catch((error: unknown) => logger.error({ err: error }, 'Shutting down failed.'));
    }
    process.exit(0);
  };
  const takeSignal = (signal: string) => {
    if (endsSince === undefined) void end(signal);
    else if (performance.now() - endsSince > SAME_SIGNAL_TIME) {
      logger.warn({ signal }, 'A second signal: shutting down at once.');
      process.exit(1);
    }
  };

  process.on('SIGTERM', takeSignal);
  process.on('SIGINT', takeSignal);
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      logger.fatal({ err: error }, 'Unhandled error; the process ends.');
      process.exit(1);
    });
  }
}
