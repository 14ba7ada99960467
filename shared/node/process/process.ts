import { formatError, SiteError } from '../logging/describe-error.ts';
import type { Logger } from '../logging/logger.ts';

/** Prints why a process couldn't start. */
function reportFailure(error: unknown): void {
  // A SiteError without a cause is a sentence for the operator.
  const isSentence = error instanceof SiteError && error.cause === undefined;
  process.stderr.write(`${isSentence ? error.message : formatError(error)}\n`);
}

/** Runs a process's startup or all its work. If that fails, prints the error and exits with code 1. */
export async function exitOnFailure(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    reportFailure(error);
    process.exit(1);
  }
}

/** In milliseconds. A terminal and npm each send the signal, so signals within this time count as one. */
export const SAME_SIGNAL_TIME = 1_000;

/**
 * Shuts down on SIGTERM or SIGINT: runs `onClose` in order, within `deadlineMs`. Unlike with close-with-grace,
 * a second signal more than a second later, or an unhandled error, makes the process exit immediately with code 1.
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
      await step().catch((error: unknown) => logger.error({ err: error }, 'A shutdown step failed.'));
    }
    process.exit(0);
  };
  const handleSignal = (signal: string) => {
    if (closingSince === undefined) void close(signal);
    else if (performance.now() - closingSince > SAME_SIGNAL_TIME) {
      logger.warn({ signal }, 'Received a second signal; exiting immediately.');
      process.exit(1);
    }
  };

  process.on('SIGTERM', handleSignal);
  process.on('SIGINT', handleSignal);
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      logger.fatal({ err: error }, 'Unhandled error; the process exits.');
      process.exit(1);
    });
  }
}
