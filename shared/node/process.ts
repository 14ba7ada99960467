import { ConfigError } from './config/config.ts';
import type { Logger } from './logger.ts';

/** Says why a process could not start: all faults of the settings, or what was thrown. */
function reportFailure(error: unknown): void {
  const text = error instanceof ConfigError ? error.message : String(error);
  process.stderr.write(`${text}\n`);
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

/**
 * Ends the process in order on SIGTERM or SIGINT: `steps` one after another, within
 * `deadlineMs`. An unhandled error is logged and ends it at once with code 1.
 */
export function shutDownOnSignal(options: {
  readonly logger: Logger;
  readonly deadlineMs: number;
  readonly steps: ReadonlyArray<() => Promise<unknown>>;
}): void {
  const { logger, deadlineMs, steps } = options;
  let isEnding = false;

  const end = async (signal: string) => {
    if (isEnding) return;
    isEnding = true;
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

  process.on('SIGTERM', (signal) => void end(signal));
  process.on('SIGINT', (signal) => void end(signal));
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error: unknown) => {
      logger.fatal({ err: error }, 'Unhandled error; the process ends.');
      process.exit(1);
    });
  }
}
