import { pino, type DestinationStream, type Level, type Logger } from 'pino';
import type { AlertName } from './alert-list.ts';
import { publishAlert, REDACTED } from './raised-alerts.ts';
import { describeError } from './describe-error.ts';

export type { Logger };

declare module 'pino' {
  /** Merged with pino's own, so that a line with an unknown alert doesn't compile. */
  interface LogFnFields {
    /** Raises an alert (`alert-list.ts`). */
    alert?: AlertName;
  }
}

/** At most `error`, since alerts are raised whatever the level is; the hook drops lines below the configured level. */
const getPinoLevel = (level: string): string =>
  level === 'fatal' || level === 'silent' ? 'error' : level;

const getLevelValue = (level: string): number => pino.levels.values[level as Level] ?? Infinity;

/** Loggers whose lines raise no alert. */
const loggersWithoutAlerts = new WeakSet<Logger>();

/** A child logger whose lines raise no alert: an alert about sending alerts would never end. */
export function createChildWithoutAlerts(logger: Logger): Logger {
  const child = logger.child({});
  loggersWithoutAlerts.add(child);

  return child;
}

/** Bytes that wait while nothing reads standard output, such as a Docker daemon that restarts. */
const MAX_BUFFERED = 1_000_000;

/** Pino's destination for standard output without blocking; lines beyond the limit are dropped and counted. */
function createDestination(onDropped: (count: number) => void): DestinationStream {
  const destination = pino.destination({ dest: 1, sync: false, maxLength: MAX_BUFFERED });
  let dropped = 0;
  destination.on('drop', () => (dropped += 1));
  // A full disk, for instance: what is buffered is written with the next line.
  destination.on('error', () => {});
  destination.on('drain', () => {
    const count = dropped;
    dropped = 0;
    if (count > 0) onDropped(count);
  });

  return destination;
}

/** Creates a logger that writes JSON to standard output. A line with `alert` raises one. */
export function createLogger(options: {
  level: string;
  process: string;
  /** A stream instead, whose buffer has no limit: for a command, which ends and whose output is its result. */
  stream?: DestinationStream;
}): Logger {
  const minimum = getLevelValue(options.level);
  const settings = {
    level: getPinoLevel(options.level),
    base: { process: options.process },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      // Pino gives the censor the name of what is around a field only where a path has that name.
      paths: [...REDACTED.flatMap((field) => [field, `*.${field}`]), 'err.message'],
      // An error is described by what may be logged, and its message is one of ours.
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
