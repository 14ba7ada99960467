import { pino, type DestinationStream, type Level, type Logger } from 'pino';
import type { AlertName } from './alert-list.ts';
import { publishAlert, REDACTED } from './raised-alerts.ts';
import { describeError } from './describe-error.ts';

export type { Logger };

declare module 'pino' {
  /** Makes logging an unknown alert a compile error. */
  interface LogFnFields {
    /** Raises an alert (`alert-list.ts`). */
    alert?: AlertName;
  }
}

/** Caps the level at `error` so that the hook sees every alert. The hook drops lines below the configured level. */
const getPinoLevel = (level: string): string =>
  level === 'fatal' || level === 'silent' ? 'error' : level;

const getLevelValue = (level: string): number => pino.levels.values[level as Level] ?? Infinity;

/** Loggers whose lines raise no alert. */
const loggersWithoutAlerts = new WeakSet<Logger>();

/** Creates a child logger whose lines raise no alert. Otherwise failures to send alerts would raise new ones. */
export function createChildWithoutAlerts(logger: Logger): Logger {
  const child = logger.child({});
  loggersWithoutAlerts.add(child);

  return child;
}

/** Maximum bytes to buffer while nobody reads standard output, such as while the Docker daemon restarts. */
const MAX_BUFFERED = 1_000_000;

/** Creates pino's destination for standard output. It never blocks. It drops and counts lines beyond the limit. */
function createDestination(onDropped: (count: number) => void): DestinationStream {
  const destination = pino.destination({ dest: 1, sync: false, maxLength: MAX_BUFFERED });
  let dropped = 0;
  destination.on('drop', () => (dropped += 1));
  // After an error such as a full disk, the next line flushes the buffer.
  destination.on('error', () => {});
  destination.on('drain', () => {
    const count = dropped;
    dropped = 0;
    if (count > 0) onDropped(count);
  });

  return destination;
}

/** Creates a logger that writes JSON to standard output. A line with `alert` raises that alert. */
export function createLogger(options: {
  level: string;
  process: string;
  /** Replaces standard output, which commands need for their results. */
  stream?: DestinationStream;
}): Logger {
  const minimum = getLevelValue(options.level);
  const settings = {
    level: getPinoLevel(options.level),
    base: { process: options.process },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      // `err.message` is listed so that pino passes `err` to the censor.
      paths: [...REDACTED.flatMap((field) => [field, `*.${field}`]), 'err.message'],
      // `describeError` returns only messages that may be logged.
      censor: (value: unknown, [parent]: readonly string[]) => (parent === 'err' ? value : '[Redacted]'),
    },
    serializers: { err: describeError },
    hooks: {
      logMethod(this: Logger, args: Parameters<pino.LogFn>, method: pino.LogFn, level: number) {
        if (!loggersWithoutAlerts.has(this)) publishAlert(args[0], args[1], options.process);
        if (level >= minimum) method.apply(this, args);
      },
    },
  };

  const reportDropped = (dropped: number) =>
    logger.warn({ dropped }, 'Log lines were dropped while nobody read them.');
  const destination = options.stream ?? createDestination(reportDropped);
  const logger: Logger = pino(settings, destination);

  return logger;
}
