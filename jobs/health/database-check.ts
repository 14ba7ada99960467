import type { Database } from '../../shared/node/database/database.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';

/** Creates a task that raises an alert after each `alertAfter` milliseconds without a response from PostgreSQL. */
export function createDatabaseCheck(
  database: Database,
  alertAfter: number,
  logger: Logger,
): () => Promise<void> {
  let lastResponseAt = performance.now();
  let nextAlertAt = 0;

  return async () => {
    try {
      await database.raw('select 1');
      lastResponseAt = performance.now();
      nextAlertAt = 0;
    } catch (error) {
      const now = performance.now();
      const silentMs = Math.round(now - lastResponseAt);
      if (silentMs < alertAfter || now < nextAlertAt) return;
      nextAlertAt = now + alertAfter;
      logger.error(
        { err: error, silentMs, alert: 'database-unreachable' },
        'PostgreSQL can’t be reached.',
      );
    }
  };
}
