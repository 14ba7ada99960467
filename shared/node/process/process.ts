import { formatError, SiteError } from '../logging/describe-error.ts';
import type { Logger } from '../logging/logger.ts';

/** Prints why a process could not start. */
function reportFailure(error: unknown): void {
  // Our own errors without a cause are sentences for the operator.
  const isSentence = error instanceof SiteError && error.cause === undefined;
  process.stderr.write(`${isSentence ? error.message : formatError(error)}\n`);
}

/** Runs a process's start, or its complete work. Reports a failure and exits with code 1. */
export async function exitOnFailure(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    reportFailure(error);
    process.exit(1);
  }
}

/** In milliseconds. A terminal and npm each send the same signal, so signals within this time count as one. */
export const SAME_SIGNAL_TIME = 1_000;

/**
 * Closes the process on SIGTERM or SIGINT: runs `onClose` in order, within `deadlineMs`. A second signal more than a
 * second later, or an unhandled error, exits at once with code 1. The package close-with-grace would run the steps first.
 */
export function closeGracefully(options: {
  readonly logger: Logger;
  readonly deadlineMs: number;
  readonly onClose: ReadonlyArray<() => Promise<unknown>>;
}): void {
  const { logger, deadlineMs, onClose } = options;
  let closingSince: number | undefined;

  const close = async (signal: string) => {
    closingSince = performance.now();
    logger.info({ signal }, 'Shutting down.');
    setTimeout(() => {
      logger.error({ deadlineMs }, 'Shutting down took too long.');
      process.exit(1);
    }, deadlineMs).unref();

    for (const step of onClose) {
      await step().catch((error: unknown) => logger.error({ err: error }, 'Shutting down failed.'));
    }
    process.exit(0);
  };
  const handleSignal = (signal: string) => {
    if (closingSince === undefined) void close(signal);
    else if (performance.now() - closingSince > SAME_SIGNAL_TIME) {
      logger.warn({ signal }, 'A second signal: shutting down at once.');
      process.exit(1);
    }
  };

  process.on('SIGTERM', handleSignal);
  process.on('SIGINT', handleSignal);
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      logger.fatal({ err: error }, 'Unhandled error; the process ends.');
      process.exit(1);
    });
  }
}
