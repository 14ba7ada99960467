import type { Logger } from '../../shared/node/logging/logger.ts';
import { Minute } from '../../shared/time.ts';
import { OpsError } from '../cli/session.ts';
import type { ArchiveRecord } from './archive-record.ts';

/** Until then a failure may be a restart of the server. */
const ALERT_AFTER = 1 * Minute;

interface ReportServices {
  readonly record: Pick<ArchiveRecord, 'setFailed'>;
  readonly logger: Logger;
}

/** What became of one of the archive's tasks. */
export interface ArchiveReport {
  readonly succeeded: () => void;
  readonly failed: (error: unknown) => void;
  /** Runs what ends only when it fails: it has succeeded while it ran for longer than a failure may last. */
  readonly watch: (run: () => Promise<void>) => Promise<void>;
}

/** Reports failures: as an alert once they have lasted a minute. */
export function createArchiveReport({ record, logger }: ReportServices): ArchiveReport {
  let failingSince: number | undefined;
  const succeeded = () => {
    failingSince = undefined;
  };

  return {
    succeeded,
    failed: (error) => {
      const reason = error instanceof OpsError ? error.message : undefined;
      failingSince ??= performance.now();
      if (performance.now() - failingSince < ALERT_AFTER) {
        return logger.warn({ err: error, reason }, 'The archive failed and will be retried.');
      }
      record.setFailed();
      logger.error({ err: error, reason, alert: 'archive-failed' }, 'The archive is behind, and is retried.');
    },
    watch: async (run) => {
      const startedAt = performance.now();
      try {
        await run();
      } finally {
        if (performance.now() - startedAt > ALERT_AFTER) succeeded();
      }
    },
  };
}
