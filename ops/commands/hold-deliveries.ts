import type { Command } from 'commander';
import {
  ErasureLogFileError,
  inspectErasureLog,
  synchronizeErasureLog,
} from '../../shared/node/erasure/erasure-log.ts';
import { applyErasures } from '../../shared/node/erasure/apply-erasures.ts';
import {
  countDeliveriesOnHold,
  describeHold,
  holdDeliveries,
  readHold,
  releaseDeliveries,
  type DeliveryHold,
  type DeliveriesOnHold,
} from '../../shared/node/deliveries/delivery-hold.ts';
import { readSince } from '../cli/arguments.ts';
import { OpsError, withSession, type CommandContext, type Session } from '../cli/session.ts';
import type { Terminal } from '../cli/terminal.ts';

/** Prints why nothing is sent during a hold. */
export async function printHold({ database, terminal }: Pick<Session, 'database' | 'terminal'>): Promise<void> {
  const hold = await readHold(database);
  if (hold) terminal.print(`${describeHold(hold)} \`ops deliveries release\` ends the hold.`);
}

interface HoldOptions {
  readonly restoredTo?: Date;
}

async function hold(session: Session, { restoredTo }: HoldOptions): Promise<void> {
  const { database, logger } = session;
  await holdDeliveries(database, restoredTo);
  logger.warn('An operator has put deliveries on hold.');
  await printHold(session);
}

const sum = (held: readonly DeliveriesOnHold[], pick: (one: DeliveriesOnHold) => number): number =>
  held.reduce((total, one) => total + pick(one), 0);

function printHeld(
  { print, printTable }: Terminal,
  { backupAt }: DeliveryHold,
  held: readonly DeliveriesOnHold[],
): void {
  printTable(
    ['kind', 'pending', 'due now', 'due before the hold'],
    held.map(({ kind, pending, due, dueBefore }) => [kind, pending, due, dueBefore]),
  );
  const due = sum(held, (one) => one.due);
  print(
    `${due} would be sent now, ${sum(held, (one) => one.pending) - due} when they are due.`,
  );
  const dueBefore = sum(held, (one) => one.dueBefore);
  if (backupAt && dueBefore > 0) {
    print(
      `${dueBefore} were due before the hold. Those sent after the backup was made are sent again: mails with the ` +
        'same Message-ID, and exports after checking whether the record exists.',
    );
  }
}

interface ReleaseOptions {
  readonly yes?: true;
  readonly withoutErasures?: true;
}

/** Runs a step. If ERASURES_DIR can't be used, prints the error instead of throwing it. */
async function tolerateUnusableFolder({ terminal }: Session, step: () => Promise<unknown>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (!(error instanceof ErasureLogFileError)) throw error;
    terminal.printError(error.message);
  }
}

async function eraseAgain({ config, database, logger, terminal }: Session): Promise<void> {
  const { wasLogLost: _, ...erased } = await applyErasures(database, config);
  if (erased.submissions + erased.subscriptions === 0) return;
  logger.warn(erased, 'A restored backup contained data of erased people. It was erased again.');
  terminal.print(
    `Erased again, because of earlier erasure requests: ${erased.submissions} requests, ${erased.subscriptions} subscriptions.`,
  );
}

/** Returns whether the erasure log, or the option to do without it, allows a release. @throws OpsError with --yes if not */
async function isReleaseAllowed(
  { config, database, logger, terminal }: Session,
  { yes, withoutErasures }: ReleaseOptions,
): Promise<boolean> {
  const { status, problem } = await inspectErasureLog(database, config);
  if (problem === undefined) return true;
  if (withoutErasures) {
    if (yes) logger.warn({ erasureLog: status }, 'Deliveries are released without the erasure log.');

    return true;
  }
  const refusal =
    `${problem.replace(/^The/, 'the')} Or add --without-erasures: then erased people may be in the data again, and ` +
    'their pending deliveries are sent.';
  if (yes) throw new OpsError(`Nothing is released: ${refusal}`);
  terminal.print(`The hold can't be released: ${refusal}`);

  return false;
}

async function release(session: Session, options: ReleaseOptions): Promise<void> {
  const { config, database, logger, terminal } = session;
  const { print } = terminal;
  const current = await readHold(database);
  if (!current) return print('Nothing is held.');

  print(describeHold(current));
  const isAllowed = await isReleaseAllowed(session, options);
  const again = () => eraseAgain(session);
  if (options.yes) await (options.withoutErasures ? tolerateUnusableFolder(session, again) : again());
  printHeld(terminal, current, await countDeliveriesOnHold(database));
  if (!options.yes) return print(`Nothing was changed.${isAllowed ? ' --yes releases it.' : ''}`);

  await releaseDeliveries(database);
  logger.warn('Deliveries are released.');
  print('Released. The worker starts within half a minute. It sends mails at MAIL_RATE and one export a second.');
  await tolerateUnusableFolder(session, () => synchronizeErasureLog(database, config));
}

/** Adds the commands `deliveries hold|release`. */
export function addHold(deliveries: Command, context: CommandContext): void {
  deliveries
    .command('hold')
    .description('send neither mails nor exports until the hold is released')
    .option('--restored-to <time>', 'another program restored the database to this time: mark deliveries that may have been sent since', readSince)
    .addHelpText(
      'after',
      '\nRequests are still accepted; their deliveries stay pending.',
    )
    .action(withSession(context, hold));
  deliveries
    .command('release')
    .description('release the hold of a restore or an operator: show what would be sent, and with --yes release it')
    .option('--yes', 'release the hold')
    .option('--without-erasures', 'release even if the erasure log is missing, older than the database, or made with unknown secrets')
    .action(withSession(context, release));
}
