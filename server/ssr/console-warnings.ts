import type { Logger } from '../../shared/node/logger.ts';

/** Notices about the project's new name and about NODE_ENV, which our build has baked in. */
const NOT_WORTH_LOGGING = /renamed to Vike|NODE_ENV/;

/**
 * From now on, sends what vite-plugin-ssr writes with `console.warn` to the log, without the
 * notices that tell an operator nothing.
 */
export function logConsoleWarnings(logger: Logger): void {
  console.warn = (...parts: unknown[]) => {
    const text = parts.map(String).join(' ');
    if (!NOT_WORTH_LOGGING.test(text)) logger.warn({ source: 'console' }, text);
  };
}
