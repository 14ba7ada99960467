import type { Command } from 'commander';
import { ErasureLogFileError } from '../../shared/node/erasure/erasure-log-file.ts';
import { completeErasureLogFile } from '../../shared/node/erasure/erasure-log.ts';
import { applyErasures } from '../../shared/node/erasure/apply-erasures.ts';
import type { Database } from '../../shared/node/database/database.ts';
import {
  countHeldDeliveries,
  holdDeliveries,
  readHold,
  releaseDeliveries,
  type DeliveryHold,
  type HeldDeliveries,
} from '../../shared/node/deliveries/delivery-hold.ts';
import { describeHold } from '../deliveries/describe-delivery.ts';
import { findErasureLogFault } from '../erasure/describe-erasure-log.ts';
import { OpsError, withSession, type Session } from '../cli/session.ts';
import { printError, say, printTable } from '../cli/terminal.ts';

/** Says so when nothing is sent. */
export async function printHold(database: Database): Promise<void> {
  const hold = await readHold(database);
  if (hold) say(`${describeHold(hold)} \`ops deliveries release\` lets it go on.`);
}

async function hold({ database, logger }: Session): Promise<void> {
  await holdDeliveries(database);
  logger.warn('Deliveries are held by hand.');
  await printHold(database);
}

const sum = (held: readonly HeldDeliveries[], pick: (one: HeldDeliveries) => number): number =>
  held.reduce((total, one) => total + pick(one), 0);

function sayHeld({ backupAt }: DeliveryHold, held: readonly HeldDeliveries[]): void {
  printTable(
    ['kind', 'wait', 'due now', 'due before the hold'],
    held.map(({ kind, pending, due, dueBefore }) => [kind, pending, due, dueBefore]),
  );
  const due = sum(held, (one) => one.due);
  say(
    `${due} would be sent now, ${sum(held, (one) => one.pending) - due} when they are due.`,
  );
  const dueBefore = sum(held, (one) => one.dueBefore);
  if (backupAt && dueBefore > 0) {
    say(
      `${dueBefore} were due before the hold. Those that the site sent after the backup was made ` +
        'are sent once more: a mail under the same Message-ID; an export looks first whether it is there.',
    );
  }
}

interface ReleaseOptions {
  readonly yes?: true;
  /** Commander's name for `--without-erasures`. */
  readonly withoutErasures?: true;
}

/** Runs a step that does what it can without the folder of erasures. */
async function tryWithFolder({ config }: Session, step: () => Promise<unknown>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof ErasureLogFileError)) throw error;
    printError(`${config.privacy.erasuresDirectory} can't be used (${error.code}).`);
  }
}

/** What the backup brought back of erased people must not be sent either. */
async function eraseAgain({ config, database, logger }: Session): Promise<void> {
  const { wasListLost: _, ...erased } = await applyErasures(database, config);
  if (erased.submissions + erased.subscriptions === 0) return;
  logger.warn(erased, 'A backup had brought back erased people; they are erased again.');
  say(
    `Erased again, of people erased on request: ${erased.submissions} requests, ${erased.subscriptions} subscriptions.`,
  );
}

/**
 * Looks whether it is known who was erased after the backup was made.
 * @returns whether it may be released
 * @throws OpsError when it isn't and the hold was to end all the same
 */
async function requireErasureList(
  { config, database, logger }: Session,
  { yes, withoutErasures }: ReleaseOptions,
): Promise<boolean> {
  const fault = await findErasureLogFault(database, config);
  if (!fault) return true;
  if (withoutErasures) {
    if (yes) logger.warn({ erasureList: fault.status }, 'Deliveries are released without the list of erasures.');

    return true;
  }
  const refusal =
    `${fault.detail.replace(/^The/, 'the')} Or add --without-erasures: whoever was erased and isn't recognized is in the ` +
    'data again, and what is owed to them is sent.';
  if (yes) throw new OpsError(`Nothing is released: ${refusal}`);
  say(`It can't be released as it is: ${refusal}`);

  return false;
}

async function release(session: Session, options: ReleaseOptions): Promise<void> {
  const { config, database, logger } = session;
  const current = await readHold(database);
  if (!current) return say('Nothing is held.');

  say(describeHold(current));
  const isAllowed = await requireErasureList(session, options);
  const again = () => eraseAgain(session);
  if (options.yes) await (options.withoutErasures ? tryWithFolder(session, again) : again());
  sayHeld(current, await countHeldDeliveries(database));
  if (!options.yes) return say(`Nothing was changed.${isAllowed ? ' With --yes it is released.' : ''}`);

  await releaseDeliveries(database);
  logger.warn('Deliveries are released.');
  say('Released: the worker begins within half a minute. Mails leave at the pace of MAIL_RATE, exports one a second.');
  await tryWithFolder(session, () => completeErasureLogFile(database, config));
}

/** `deliveries hold|release` */
export function addHold(deliveries: Command): void {
  deliveries
    .command('hold')
    .description('send nothing, neither mails nor exports, until it is released')
    .addHelpText('after', '\nRequests are taken as ever; what is owed waits.\n\nExample:\n  ops deliveries hold')
    .action(withSession(hold));
  deliveries
    .command('release')
    .description('let go what is held, after a restore or by hand: shows what, and does it with --yes')
    .option('--yes', 'do it')
    .option('--without-erasures', 'although the list of erased people is missing, older than the database, or can’t be read with the secrets given')
    .addHelpText('after', '\nExamples:\n  ops deliveries release\n  ops deliveries release --yes')
    .action(withSession(release));
}
