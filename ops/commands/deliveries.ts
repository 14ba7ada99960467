import { Argument, Option, type Command } from 'commander';
import { formatCount } from '../../shared/format-count.ts';
import {
  deliveryKinds,
  deliveryStates,
  type DeliveryKind,
  type DeliveryState,
} from '../../shared/deliveries/delivery.ts';
import { listPauses, resumeKind } from '../../shared/node/deliveries/delivery-pauses.ts';
import { cancelDeadDeliveries, requeueDeliveries } from '../../shared/node/deliveries/delivery-store.ts';
import {
  countDeliveries,
  listDeliveries,
  readDeliveryStates,
} from '../../shared/node/deliveries/list-deliveries.ts';
import { readIds, readLimit } from '../cli/arguments.ts';
import { describeKind, describeLastError } from '../deliveries/describe-delivery.ts';
import { scheduleIfPossible } from '../deliveries/schedule-if-possible.ts';
import { addHold, printHold } from './hold-deliveries.ts';
import { OpsError, withSession, type CommandContext, type Session } from '../cli/session.ts';
import { formatTime, toJson } from '../cli/terminal.ts';

interface ListOptions {
  readonly state?: DeliveryState;
  readonly kind?: DeliveryKind;
  readonly overdue?: true;
  readonly limit: number;
  readonly json?: true;
}

async function list(session: Session, options: ListOptions): Promise<void> {
  const { database, terminal } = session;
  const { print } = terminal;
  const filter = {
    ...(options.state && { state: options.state }),
    ...(options.kind && { kind: options.kind }),
    ...(options.overdue && { isOverdue: true }),
  };
  const deliveries = await listDeliveries(database, filter, options.limit);
  if (options.json) return print(toJson(deliveries, 2));

  terminal.printTable(
    ['id', 'kind', 'state', 'due (UTC)', 'next attempt (UTC)', 'attempts', 'last error', 'about'],
    deliveries.map((delivery) => [
      delivery.id,
      describeKind(delivery),
      delivery.state,
      formatTime(delivery.due_at),
      delivery.state === 'pending' ? formatTime(delivery.retry_at) : null,
      delivery.attempts,
      describeLastError(delivery),
      delivery.submission_id ?? delivery.subscription_id ?? delivery.subject,
    ]),
  );
  for (const { kind, until, reason } of await listPauses(database)) {
    print(`${kind} is paused until ${formatTime(until)} UTC: ${reason}.`);
  }
  await printHold(session);
  const total = await countDeliveries(database, filter);
  print(total > deliveries.length ? `The first ${deliveries.length} of ${total}; --limit shows more.` : `${total} in all.`);
}

interface RetryOptions {
  readonly dead?: true;
  readonly kind?: DeliveryKind;
}

async function reportUnchanged(
  { database, terminal }: Session,
  { asked, done, participle }: { readonly asked: readonly string[]; readonly done: readonly string[]; readonly participle: string },
): Promise<void> {
  const others = asked.filter((id) => !done.includes(id));
  const states = await readDeliveryStates(database, others);
  for (const id of others) {
    const state = states.get(id);
    if (state) terminal.printError(`${id} is ${state}; only dead deliveries can be ${participle}.`);
    else terminal.printError(`There is no delivery ${id}.`);
  }
  if (others.length > 0) throw new OpsError(`${others.length} of ${asked.length} could not be ${participle}.`);
}

async function retry(
  session: Session,
  given: readonly string[] | undefined,
  { dead, kind }: RetryOptions,
  command: Command,
): Promise<void> {
  const { database, terminal } = session;
  const ids = [...new Set(given ?? [])];
  if ((ids.length > 0) === (dead === true)) command.error('error: give either ids or --dead');
  if (kind && !dead) command.error('error: --kind requires --dead');

  const requeued = await requeueDeliveries(database, dead ? { kind } : { ids });
  const kinds = new Set([...requeued.map((delivery) => delivery.kind), ...(kind ? [kind] : [])]);
  for (const { kind: paused } of await listPauses(database)) {
    if (!kinds.has(paused)) continue;
    await resumeKind(database, paused);
    terminal.print(`${paused} is resumed.`);
  }
  await scheduleIfPossible(session, requeued);
  for (const { id, kind: ofKind } of requeued) terminal.print(`${id} (${ofKind}) will be retried.`);
  await printHold(session);
  terminal.print(`${formatCount(requeued.length, 'delivery is', 'deliveries are')} queued to be retried.`);

  await reportUnchanged(session, { asked: ids, done: requeued.map(({ id }) => id), participle: 'retried' });
}

async function cancel(session: Session, given: readonly string[]): Promise<void> {
  const asked = [...new Set(given)];
  const done = await cancelDeadDeliveries(session.database, asked);
  for (const id of done) session.terminal.print(`${id} is cancelled.`);
  await reportUnchanged(session, { asked, done, participle: 'cancelled' });
}

/** Adds the commands `deliveries list|retry|cancel|hold|release`. */
export function addDeliveries(program: Command, context: CommandContext): void {
  const parent = program.command('deliveries').description('mails and exports, pending and completed');
  parent
    .command('list')
    .description('list deliveries, the earliest due first; by default those not completed')
    .addOption(new Option('--state <state>', 'only those in this state').choices(deliveryStates))
    .addOption(new Option('--kind <kind>', 'only those of this kind').choices(deliveryKinds))
    .option('--overdue', 'only overdue ones')
    .option('--limit <number>', 'at most this many', readLimit, 50)
    .option('--json', 'print JSON')
    .action(withSession(context, list));
  parent
    .command('retry')
    .description('retry dead deliveries, and resume their kind if it is paused')
    .addArgument(new Argument('[id...]', 'ids of dead deliveries').argParser(readIds))
    .option('--dead', 'all dead deliveries')
    .addOption(new Option('--kind <kind>', 'with --dead: only those of this kind').choices(deliveryKinds))
    .action(withSession(context, retry));
  parent
    .command('cancel')
    .description('cancel dead deliveries, so that they are never sent')
    .addArgument(new Argument('<id...>', 'ids of dead deliveries').argParser(readIds))
    .action(withSession(context, cancel));
  addHold(parent, context);
}
