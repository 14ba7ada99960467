import type { Command } from 'commander';
import { ImplausibleClockError } from '../../shared/node/retention/retention-guard.ts';
import { planRetention, runRetention } from '../../shared/node/retention/retention.ts';
import { HELD_DAYS } from '../../shared/node/contact/quarantine.ts';
import { startProgress } from '../cli/progress.ts';
import { OpsError, withSession, type Session } from '../cli/session.ts';
import { say } from '../cli/terminal.ts';

interface Options {
  readonly yes?: true;
  readonly force?: true;
}

const toRefusal = ({ message }: ImplausibleClockError) =>
  new OpsError(
    `Nothing is forgotten for its age. ${message} If it is right: ops retention --yes --force.`,
  );

async function run({ config, database }: Session, total: number, { force }: Options) {
  const progress = startProgress(total);
  const isConfirmed = force === true;

  try {
    return await runRetention(database, config, { onProgress: progress.show, isConfirmed });
  } catch (error) {
    throw error instanceof ImplausibleClockError ? toRefusal(error) : error;
  } finally {
    progress.end();
  }
}

async function retain(session: Session, options: Options) {
  const { config, database, logger } = session;
  const { retentionMonths: months } = config.privacy;
  const { shares, held, refusal } = await planRetention(database, months);
  const [submissions = 0, subscriptions = 0] = shares.map(({ expired }) => expired);
  say(
    `Older than ${months} months: ${submissions} requests to anonymise, ` +
      `${subscriptions} newsletter subscriptions to delete. Held as possible spam for more ` +
      `than ${HELD_DAYS} days: ${held} requests to erase.`,
  );
  if (!options.yes) {
    say('Nothing was changed. With --yes this is done; the worker does it once a day.');
    if (refusal && !options.force) throw toRefusal(refusal);

    return;
  }

  const outcome = await run(session, submissions, options);
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
    .option('--force', 'do it also where the clocks differ by a day, or more than half would go at once')
    .addHelpText(
      'after',
      '\nA clock that is years ahead would make everything too old: what looks like that is refused.' +
        '\n\nExamples:\n  ops retention\n  ops retention --yes',
    )
    .action(withSession(retain));
}
