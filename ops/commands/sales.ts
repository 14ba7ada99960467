import type { Command } from 'commander';
import { formatTime } from '../../shared/format-time.ts';
import { endAbsence, listTurns, setAbsence } from '../../shared/node/follow-up/sales-rotation.ts';
import { selectMailboxes } from '../../shared/node/mail/email-address.ts';
import { parseMailAddress } from '../../shared/mailbox.ts';
import { readDay, readEmail } from '../cli/arguments.ts';
import { OpsError, withSession, type CommandContext, type Session } from '../cli/session.ts';
import { toJson } from '../cli/terminal.ts';

/** Returns the address as in SALES_EMAIL. @throws OpsError if it isn't there */
function findAddress({ config }: Session, typed: string): string {
  const [mailbox] = selectMailboxes(config.mail.sales, [typed]);
  if (mailbox === undefined) {
    const all = config.mail.sales.map(parseMailAddress).join(', ');
    throw new OpsError(`${typed} is not in SALES_EMAIL, which contains: ${all}.`);
  }

  return parseMailAddress(mailbox);
}

/** Prints a note if turns have no effect, because `SALES_ASSIGNMENT` is not `rotate`. */
function printIfUnused({ config, terminal }: Session): void {
  if (config.mail.assignment === 'rotate') return;
  terminal.print('Every request goes to everyone in sales, because SALES_ASSIGNMENT is not rotate.');
}

async function list(session: Session, { json }: { readonly json?: true }): Promise<void> {
  const { config, database, terminal } = session;
  const { timeZone } = config;
  const turns = await listTurns(database, config.mail.sales);
  if (json) {
    const rows = turns.map(({ address, lastAssignedAt, awayUntil }) => ({
      address,
      last_assigned_at: lastAssignedAt,
      away_until: awayUntil,
    }));

    return terminal.print(toJson(rows, 2));
  }

  // The time zone is in the heading to keep the cells short.
  const format = (time: Date | null) => time && formatTime(time, timeZone, 'short').replace(` (${timeZone})`, '');
  terminal.printTable(
    ['next', 'address', `last request (${timeZone})`, 'away until'],
    turns.map(({ address, lastAssignedAt, awayUntil }, index) => [
      awayUntil ? null : index + 1,
      address,
      format(lastAssignedAt),
      format(awayUntil),
    ]),
  );
  printIfUnused(session);
}

async function away(session: Session, typed: string, { until }: { readonly until: string }): Promise<void> {
  const { config, database, terminal } = session;
  const { timeZone } = config;
  const address = findAddress(session, typed);
  const backAt = await setAbsence(database, address, until, timeZone);
  if (!backAt) {
    throw new OpsError(`${until} has already ended in ${timeZone}. To end an absence: ops sales back ${address}.`);
  }

  terminal.print(`${address} gets no requests until ${formatTime(backAt, timeZone)}.`);
  terminal.print('Reminders still go to everyone in sales. Requests assigned to the address can be handed over on their pages.');
  printIfUnused(session);
}

async function back(session: Session, typed: string): Promise<void> {
  const { database, terminal } = session;
  const address = findAddress(session, typed);
  const wasAway = await endAbsence(database, address);
  terminal.print(wasAway ? `${address} gets requests again.` : `${address} was not away.`);
  printIfUnused(session);
}

/** Adds the commands `sales list|away|back`. */
export function addSales(program: Command, context: CommandContext): void {
  const parent = program.command('sales').description('turns and absences (SALES_ASSIGNMENT=rotate)');
  parent
    .command('list')
    .description('list the SALES_EMAIL addresses in the order in which they get the next requests')
    .option('--json', 'print JSON')
    .action(withSession(context, list));
  parent
    .command('away')
    .description('skip an address from today until the end of a given day; replaces an earlier absence')
    .argument('<address>', 'an address in SALES_EMAIL', readEmail)
    .requiredOption('--until <date>', 'last day of the absence in TIME_ZONE, such as 2027-01-07', readDay)
    .action(withSession(context, away));
  parent
    .command('back')
    .description('end an address’s absence early')
    .argument('<address>', 'an address in SALES_EMAIL', readEmail)
    .action(withSession(context, back));
}
