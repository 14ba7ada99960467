import type { Logger } from '../../shared/node/logging/logger.ts';
import { Minute } from '../../shared/time.ts';
import { OpsError } from '../cli/session.ts';
import type { ArchiveRecord } from './archive-record.ts';

/** Until then a failure may be a restart of the server. */
const ALERT_AFTER = 1 * Minute;

/** What fails is retried each second or two: of an outage one line a minute says enough. */
const LOG_INTERVAL = 1 * Minute;

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

/** Reports failures: the first at once, and as an alert each minute that they last. */
export function createArchiveReport({ record, logger }: ReportServices): ArchiveReport {
  let failingSince: number | undefined;
  let nextLineAt = 0;
  const succeeded = () => {
    failingSince = undefined;
    nextLineAt = 0;
  };

  return {
    succeeded,
    failed: (error) => {
      const reason = error instanceof OpsError ? error.message : undefined;
      const now = performance.now();
      failingSince ??= now;
      const isLasting = now - failingSince >= ALERT_AFTER;
      if (isLasting) record.setFailed();
      if (now < nextLineAt) return;
      nextLineAt = now + LOG_INTERVAL;
      if (!isLasting) {
        return logger.warn({ err: error, reason }, 'The archive failed and will be retried.');
      }
      const firstFailedAt = new Date(Date.now() - (now - failingSince)).toISOString();
      logger.error({ err: error, reason, firstFailedAt, alert: 'archive-failed' }, 'The archive is behind, and is retried.');
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
