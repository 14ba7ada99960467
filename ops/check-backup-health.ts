import { loadConfig } from '../shared/node/config/config.ts';
import { SiteError } from '../shared/node/logging/describe-error.ts';
import { runCheck } from '../shared/node/monitoring/check.ts';
import { exitOnFailure } from '../shared/node/process/process.ts';
import { checkBackup } from './doctor/check-backup.ts';

/** Health check of the backup container: the newest verified backup is no older than a daily one gets. */
await exitOnFailure(async () => {
  const results = await runCheck(checkBackup(loadConfig()));
  const problems = results.filter(({ state }) => state !== 'ok');

  if (problems.length > 0) throw new SiteError(problems.map(({ detail }) => detail).join(' '));
});
