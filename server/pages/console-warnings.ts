import type { Logger } from '../../shared/node/logging/logger.ts';

/**
 * Notices about the project's new name, about NODE_ENV, which our build has baked in, and about
 * files it doesn't inject, because our documents name their files themselves.
 */
const NOT_WORTH_LOGGING = /renamed to Vike|NODE_ENV|injectFilter/;

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
