import type { Command } from 'commander';
import { ImplausibleClockError } from '../../shared/node/erasure/matching-clocks.ts';
import { planRetention, runRetention, type ExpiredCounts } from '../../shared/node/retention/retention.ts';
import { HELD_DAYS } from '../../shared/node/held-requests/held-requests.ts';
import { OpsError, withSession, type CommandContext, type Session } from '../cli/session.ts';

interface Options {
  readonly yes?: true;
  readonly force?: true;
}

const toRefusal = ({ message }: ImplausibleClockError) =>
  new OpsError(`Expired data was not erased. ${message} If that is correct: ops retention --yes --force.`);

async function retain(session: Session, options: Options) {
  const { config, database, logger, terminal } = session;
  const { print } = terminal;
  const { retentionMonths: months } = config.privacy;
  const { requests, subscriptions, held, refusal } = await planRetention(database, months);
  print(
    `Older than ${months} months: ${requests.expired} requests to anonymize, ` +
      `${subscriptions.expired} newsletter subscriptions to delete. Held as possible spam for more ` +
      `than ${HELD_DAYS} days: ${held} requests to erase.`,
  );
  if (!options.yes) {
    print('Nothing was changed. --yes erases this now. The worker does so once a day.');
    if (refusal && !options.force) throw toRefusal(refusal);

    return;
  }

  const onExpired = ({ submissions, held: heldOnes, subscriptions: left }: ExpiredCounts) =>
    print(`Anonymized ${submissions} requests, erased ${heldOnes} held ones, deleted ${left} subscriptions.`);
  const isConfirmed = options.force === true;
  const result = await runRetention(database, config, { onExpired, isConfirmed }).catch((error: unknown) => {
    throw error instanceof ImplausibleClockError ? toRefusal(error) : error;
  });
  if (!result) throw new OpsError('The worker is already erasing old data.');
  logger.info(result, 'Retention is complete.');
  const { erasedAgain } = result;
  print(
    `Erased again, because of earlier erasure requests: ${erasedAgain.submissions} requests, ${erasedAgain.subscriptions} subscriptions.`,
  );
}

/** Adds the command `retention`. */
export function addRetention(program: Command, context: CommandContext): void {
  program
    .command('retention')
    .description('anonymize or delete data older than RETENTION_MONTHS, and erase requests held as spam for 30 days: show how much, and with --yes erase it')
    .option('--yes', 'erase the data')
    .option('--force', 'erase even if the clocks differ by a day, or more than half of a table would be erased')
    .addHelpText(
      'after',
      '\nA clock that is years ahead would make all data expire, so implausible erasures are refused.',
    )
    .action(withSession(context, retain));
}
