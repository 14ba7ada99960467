import { pino, type Level, type Logger } from 'pino';
import type { AlertName } from '../alerts/alert-list.ts';
import { publishAlert, REDACTED } from '../alerts/raised-alerts.ts';
import { describeError } from './describe-error.ts';
import { createLogDestination } from './log-destination.ts';

export type { Logger };

declare module 'pino' {
  /** Merged with pino's own, so that a line with an unknown alert doesn't compile. */
  interface LogFnFields {
    /** Makes the line an alert: a person is told of it (`alerts/alert-list.ts`). */
    alert?: AlertName;
  }
}

/**
 * Alerts are raised whatever the level is: pino calls no hook for what is below its own, so that is
 * `error` at most, and the hook leaves out the lines that nobody wants.
 */
const neededForAlerts = (level: string): string =>
  level === 'fatal' || level === 'silent' ? 'error' : level;

const getLevelValue = (level: string): number => pino.levels.values[level as Level] ?? Infinity;

/** Loggers that raise no alert. */
const muted = new WeakSet<Logger>();

/** The same log, whose lines raise no alert: for what would be an alert about alerts, without end. */
export function withoutAlerts(logger: Logger): Logger {
  const child = logger.child({});
  muted.add(child);

  return child;
}

/**
 * JSON logs on standard output, or on standard error where the output is what was asked for. Logging
 * never blocks: lines that nobody takes are dropped in the end, and counted. A line with `alert` is
 * published as one.
 */
export function createLogger(options: {
  level: string;
  process: string;
  /** File descriptor; 2 is standard error. */
  fd?: number;
  /** For a process with a line for each request (`log-destination.ts`). */
  gathersLines?: boolean;
}): Logger {
  const wanted = getLevelValue(options.level);
  const settings = {
    level: neededForAlerts(options.level),
    base: { process: options.process },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: REDACTED.flatMap((field) => [field, `*.${field}`]),
    serializers: { err: describeError },
    hooks: {
      logMethod(this: Logger, args: Parameters<pino.LogFn>, method: pino.LogFn, level: number) {
        if (!muted.has(this)) publishAlert(args[0], args[1], options.process);
        if (level >= wanted) method.apply(this, args);
      },
    },
  };

  const tellDropped = (dropped: number) =>
    logger.warn({ dropped }, 'Log lines were dropped while nobody took them.');
  const destination = createLogDestination(options.fd ?? 1, tellDropped, options.gathersLines);
  const logger: Logger = pino(settings, destination);

  return logger;
}
