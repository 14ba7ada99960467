import { loadConfig } from '../shared/node/config/config.ts';
import { SiteError } from '../shared/node/logging/describe-error.ts';
import { exitOnFailure } from '../shared/node/process/process.ts';
import { checkBackup } from './doctor/check-backup.ts';
import { runCheck } from './doctor/check.ts';

/** The backup container's health: there is a verified backup that is no older than a daily one gets. */
await exitOnFailure(async () => {
  const findings = await runCheck(checkBackup(loadConfig()));
  const faults = findings.filter(({ status }) => status !== 'ok');

  if (faults.length > 0) throw new SiteError(faults.map(({ detail }) => detail).join(' '));
});
