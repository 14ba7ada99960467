import type { Logger } from '../../shared/node/logging/logger.ts';
import type { Site } from '../../shared/node/monitoring/check.ts';
import { claimTrial, recordTrial } from '../../shared/node/monitoring/form-trial.ts';
import { tryForm } from '../../shared/node/monitoring/try-form.ts';

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
