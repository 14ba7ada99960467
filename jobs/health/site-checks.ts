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
  /** Of all workers together, in milliseconds. */
  readonly intervalMs: number;
}

/** Makes a task that submits a trial request and records what became of it, for the check `form`. */
export function makeFormTrials({ config, database, logger, intervalMs }: FormTrials): () => Promise<void> {
  let hasSaidInside = false;

  return async () => {
    // Workers and their tasks don't begin at the same moment.
    if (!(await claimTrial(database, intervalMs / 2))) return;
    const trial = await tryForm(config);
    await recordTrial(database, trial);
    if (!trial.isAccepted || (trial.isInside && !hasSaidInside)) logger.warn({ isAccepted: trial.isAccepted }, trial.detail);
    hasSaidInside ||= trial.isInside;
  };
}

/** One notice a day is enough of what goes on, and it comes at about the same time. */
const REPEAT_AFTER = 23 * Hour;

const TIMEOUT = 10 * Second;

interface SiteChecks extends Site {
  readonly metrics: WorkerMetrics;
  readonly logger: Logger;
}

/** Makes a task that runs the site's checks, exports their results, and raises each alert once a day. */
export function makeSiteChecks({ config, database, metrics, logger }: SiteChecks): () => Promise<void> {
  let before: ReadonlySet<string> | undefined;

  return async () => {
    const results = await Promise.all(
      siteChecks.map(async (check) => ({
        check,
        // Undefined where it can't be read: the doctor says why, and what is away has an alert of its own.
        found: await withTimeout(() => check.find({ config, database }), TIMEOUT).catch(() => undefined),
      })),
    );
    metrics.setChecks(results.map(({ check: { name }, found }) => [name, found?.some(needsAttention)]));
    const known = before;
    const raised = new Set<string>();
    for (const { check: { name, alert }, found = [] } of results) {
      const wrong = found.filter(({ state }) => state === 'fail' || (state === 'warn' && alert !== 'check-failed'));
      if (wrong.length === 0) continue;
      raised.add(name);
      const isNew = known !== undefined && !known.has(name);
      // While PostgreSQL is away the sender alone keeps one from being repeated.
      const last = await listRaisedWithin(database, isNew ? Hour : REPEAT_AFTER).catch(() => undefined);
      const raisedBy = last?.get(alert);
      // Of one that is new another worker may have told already, and of another by the same name too.
      if (raisedBy !== undefined && (!isNew || raisedBy === name)) continue;
      logger.error({ check: name, alert }, wrong.map(({ detail }) => detail).join(' '));
    }
    before = raised;
  };
}
