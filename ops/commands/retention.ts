import type { Command } from 'commander';
import { countExpired, runRetention } from '../../jobs/privacy/retention.ts';
import { HELD_DAYS } from '../../shared/node/contact/quarantine.ts';
import { startProgress } from '../progress.ts';
import { OpsError, withSession, type Session } from '../session.ts';
import { say } from '../terminal.ts';

async function retain({ config, database, logger }: Session, { yes }: { readonly yes?: true }) {
  const { retentionMonths: months } = config.privacy;
  const expired = await countExpired(database, months);
  say(
    `Older than ${months} months: ${expired.submissions} requests to anonymise, ` +
      `${expired.subscriptions} newsletter subscriptions to delete. Held as possible spam for more ` +
      `than ${HELD_DAYS} days: ${expired.held} requests to erase.`,
  );
  if (!yes) return say('Nothing was changed. With --yes this is done; the worker does it once a day.');

  const progress = startProgress(expired.submissions);
  const outcome = await runRetention(database, config, { onProgress: progress.show }).finally(
    progress.end,
  );
  if (!outcome) throw new OpsError('The worker is at it right now.');
  logger.info(outcome, 'What is too old is forgotten.');
  say(
    `Anonymised ${outcome.expired.submissions} requests, erased ${outcome.expired.held} held ones, deleted ` +
      `${outcome.expired.subscriptions} subscriptions; erased again, of people erased on request: ` +
      `${outcome.erasedAgain.submissions} requests, ${outcome.erasedAgain.subscriptions} subscriptions.`,
  );
}

/** `retention` */
export function addRetention(program: Command): void {
  program
    .command('retention')
    .description('forget what is older than RETENTION_MONTHS, and what was held as spam for 30 days: shows how much, and does it with --yes')
    .option('--yes', 'do it')
    .addHelpText('after', '\nExamples:\n  ops retention\n  ops retention --yes')
    .action(withSession(retain));
}
