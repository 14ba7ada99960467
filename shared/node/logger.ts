import { pino, type Level, type Logger } from 'pino';
import type { AlertName } from './alerts/alert-list.ts';
import { publishAlert, REDACTED } from './alerts/raised-alerts.ts';
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
  /** False where an alert would be about the alerts themselves. */
  raisesAlerts?: boolean;
}): Logger {
  const { raisesAlerts = true } = options;
  const wanted = getLevelValue(options.level);
  const settings = {
    level: raisesAlerts ? neededForAlerts(options.level) : options.level,
    base: { process: options.process },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: REDACTED.flatMap((field) => [field, `*.${field}`]),
    serializers: { err: describeError },
    ...(raisesAlerts && {
      hooks: {
        logMethod(this: Logger, args: Parameters<pino.LogFn>, method: pino.LogFn, level: number) {
          publishAlert(args[0], args[1], options.process);
          if (level >= wanted) method.apply(this, args);
        },
      },
    }),
  };

  const tellDropped = (dropped: number) =>
    logger.warn({ dropped }, 'Log lines were dropped while nobody took them.');
  const destination = createLogDestination(options.fd ?? 1, tellDropped, options.gathersLines);
  const logger: Logger = pino(settings, destination);

  return logger;
}
