import type { Logger } from '../../shared/node/logging/logger.ts';
import { type Site, needsAttention } from '../../shared/node/monitoring/check.ts';
import { tryForm, claimTrial, recordTrial } from '../../shared/node/monitoring/try-form.ts';
import { listRaisedWithin } from '../../shared/node/alerts/alert-store.ts';
import { siteChecks } from '../../shared/node/monitoring/installation-checks.ts';
import type { WorkerMetrics } from '../../shared/node/monitoring/site-metrics.ts';
import { withTimeout } from '../../shared/node/process/with-timeout.ts';
import { Hour, Second } from '../../shared/time.ts';

interface FormTrials extends Site {
  readonly logger: Logger;
  /** Interval between trials across all workers, in milliseconds. */
  readonly intervalMs: number;
}

/** Creates a task that submits a trial request and records its result for the check `form`. */
export function makeFormTrials({ config, database, logger, intervalMs }: FormTrials): () => Promise<void> {
  let hasReportedProxy = false;

  return async () => {
    // Half the interval allows for workers that start at different times.
    if (!(await claimTrial(database, intervalMs / 2))) return;
    const trial = await tryForm(config);
    await recordTrial(database, trial);
    if (!trial.isAccepted || (trial.wentThroughProxy && !hasReportedProxy)) logger.warn({ isAccepted: trial.isAccepted }, trial.detail);
    hasReportedProxy ||= trial.wentThroughProxy;
  };
}

/** Repeats the alert for a lasting failure once a day. With 24 hours, it would be sent a little later each day. */
const REPEAT_AFTER = 23 * Hour;

const TIMEOUT = 10 * Second;

interface SiteChecks extends Site {
  readonly metrics: WorkerMetrics;
  readonly logger: Logger;
}

/** Creates a task that runs the site's checks, exports their results, and raises each alert once a day. */
export function makeSiteChecks({ config, database, metrics, logger }: SiteChecks): () => Promise<void> {
  let failedBefore: ReadonlySet<string> | undefined;

  return async () => {
    const results = await Promise.all(
      siteChecks.map(async (check) => ({
        check,
        // Undefined if the check can't run. The doctor shows the reason, and outages have their own alerts.
        found: await withTimeout(() => check.find({ config, database }), TIMEOUT).catch(() => undefined),
      })),
    );
    metrics.setChecks(results.map(({ check: { name }, found }) => [name, found?.some(needsAttention)]));
    const failed = new Set<string>();
    for (const { check: { name, alert }, found = [] } of results) {
      const wrong = found.filter(({ state }) => state === 'fail' || (state === 'warn' && alert !== 'check-failed'));
      if (wrong.length === 0) continue;
      failed.add(name);
      const isNew = failedBefore !== undefined && !failedBefore.has(name);
      // While PostgreSQL is down, only the sender limits repeated alerts.
      const last = await listRaisedWithin(database, isNew ? Hour : REPEAT_AFTER).catch(() => undefined);
      const raisedBy = last?.get(alert);
      // Another worker may have raised a new failure. Other checks may have raised the same alert.
      if (raisedBy !== undefined && (!isNew || raisedBy === name)) continue;
      logger.error({ check: name, alert }, wrong.map(({ detail }) => detail).join(' '));
    }
    failedBefore = failed;
  };
}
