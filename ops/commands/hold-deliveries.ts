import type { Command } from 'commander';
import { ErasureFileError } from '../../jobs/privacy/erasure-file.ts';
import { keepErased } from '../../jobs/privacy/keep-erased.ts';
import type { Database } from '../../shared/node/database.ts';
import {
  countHeldDeliveries,
  holdDeliveries,
  readHold,
  releaseDeliveries,
  type DeliveryHold,
  type HeldDeliveries,
} from '../../shared/node/deliveries/delivery-hold.ts';
import { describeHold } from '../describe-delivery.ts';
import { OpsError, withSession, type Session } from '../session.ts';
import { say, sayTable } from '../terminal.ts';

/** Says so when nothing is sent. */
export async function sayHold(database: Database): Promise<void> {
  const hold = await readHold(database);
  if (hold) say(`${describeHold(hold)} \`ops deliveries release\` lets it go on.`);
}

async function hold({ database, logger }: Session): Promise<void> {
  await holdDeliveries(database);
  logger.warn('Deliveries are held by hand.');
  await sayHold(database);
}

const sum = (held: readonly HeldDeliveries[], pick: (one: HeldDeliveries) => number): number =>
  held.reduce((total, one) => total + pick(one), 0);

function sayHeld({ backupAt }: DeliveryHold, held: readonly HeldDeliveries[]): void {
  sayTable(
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

/**
 * What the backup brought back of erased people must not be sent either.
 * @throws OpsError when it can't be known who was erased
 */
async function eraseAgain({ config, database, logger }: Session): Promise<void> {
  try {
    const erased = await keepErased(database, config);
    if (erased.submissions + erased.subscriptions === 0) return;
    logger.warn(erased, 'A backup had brought back erased people; they are erased again.');
    say(
      `Erased again, of people erased on request: ${erased.submissions} requests, ${erased.subscriptions} subscriptions.`,
    );
  } catch (error) {
    if (!(error instanceof ErasureFileError)) throw error;
    throw new OpsError(
      `Nothing is released: the list of erased people in ${config.privacy.erasuresDirectory} can't be used (${error.code}).`,
    );
  }
}

async function release(session: Session, { yes }: { readonly yes?: true }): Promise<void> {
  const { database, logger } = session;
  const current = await readHold(database);
  if (!current) return say('Nothing is held.');

  say(describeHold(current));
  if (yes) await eraseAgain(session);
  sayHeld(current, await countHeldDeliveries(database));
  if (!yes) return say('Nothing was changed. With --yes it is released.');

  await releaseDeliveries(database);
  logger.warn('Deliveries are released.');
  say('Released: the worker sends what is due within half a minute, at most one of a kind a second.');
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
    .addHelpText('after', '\nExamples:\n  ops deliveries release\n  ops deliveries release --yes')
    .action(withSession(release));
}
