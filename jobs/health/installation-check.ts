import type { AlertName } from '../../shared/node/logging/alert-list.ts';
import type { Config } from '../../shared/node/config/config.ts';
import { listRaisedWithin } from '../../shared/node/alerts/alert-store.ts';
import type { Database } from '../../shared/node/database/database.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import { listInstallationProblems } from '../../shared/node/monitoring/assess-installation.ts';
import type { InstallationMetrics } from '../../shared/node/monitoring/installation-gauges.ts';
import { readInstallation } from '../../shared/node/monitoring/read-installation.ts';
import { Hour } from '../../shared/time.ts';

/** One notice a day is enough of what goes on, and it comes at about the same time. */
const REPEAT_AFTER = 23 * Hour;

interface InstallationCheck {
  readonly config: Config;
  readonly database: Database;
  readonly metrics: InstallationMetrics;
  readonly logger: Logger;
}

/**
 * Makes a task that reads backup, its copy, rehearsal, archive, certificate, disks, image and erasure log, shows
 * them as metrics, and raises an alert about each that needs attention, once a day over all workers; at once where it
 * was right again meanwhile.
 */
export function makeInstallationCheck({ config, database, metrics, logger }: InstallationCheck): () => Promise<void> {
  let before: ReadonlySet<AlertName> | undefined;

  return async () => {
    const installation = await readInstallation(config, database);
    metrics.setInstallation(installation);
    const problems = listInstallationProblems(installation, Date.now());
    const known = before;
    before = new Set(problems.map(({ alert }) => alert));
    if (problems.length === 0) return;
    const raised = await listRaisedWithin(database, REPEAT_AFTER);
    for (const { alert, message, details } of problems) {
      const isNew = known !== undefined && !known.has(alert);
      if (isNew || !raised.has(alert)) logger.error({ ...details, alert }, message);
    }
  };
}
