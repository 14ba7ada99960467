import { pino, type Logger } from 'pino';
import { createLogDestination } from './log-destination.ts';

export type { Logger };

/** Fields that could carry personal data or secrets; nothing logs them on purpose. */
const REDACTED = ['name', 'email', 'company', 'phone', 'message', 'password', 'token'];

/**
 * Errors are logged by class, code and stack only: PostgreSQL repeats row values in `detail`,
 * and mail servers repeat addresses in `response`.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };

  return {
    type: error.name,
    ...('code' in error ? { code: error.code } : {}),
    ...('responseCode' in error ? { responseCode: error.responseCode } : {}),
    // Only the frames: the lines above them are the message.
    stack: error.stack?.split('\n').filter((line) => line.startsWith('    at ')).slice(0, 8).join('\n'),
  };
}

/**
 * JSON logs on standard output, or on standard error where the output is what was asked for. Logging
 * never blocks: lines that nobody takes are dropped in the end, and counted.
 */
export function createLogger(options: {
  level: string;
  process: string;
  /** File descriptor; 2 is standard error. */
  fd?: number;
  /** For a process with a line for each request (`log-destination.ts`). */
  gathersLines?: boolean;
}): Logger {
  const settings = {
    level: options.level,
    base: { process: options.process },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: REDACTED.flatMap((field) => [field, `*.${field}`]),
    serializers: { err: describeError },
  };

  const tellDropped = (dropped: number) =>
    logger.warn({ dropped }, 'Log lines were dropped while nobody took them.');
  const destination = createLogDestination(options.fd ?? 1, tellDropped, options.gathersLines);
  const logger: Logger = pino(settings, destination);

  return logger;
}
