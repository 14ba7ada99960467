import { setTimeout as wait } from 'node:timers/promises';
import { countRunningDeliveries, listDeliveriesOf } from '../../shared/node/deliveries/list-deliveries.ts';
import { Minute, Second } from '../../shared/time.ts';
import { type Session, OpsError, withSession, type CommandContext } from '../cli/session.ts';
import { Argument, Option, type Command } from 'commander';
import {
  eraseSubject,
  findStoredData,
  type ErasedSubject,
  type StoredData,
  type Subject,
} from '../../shared/node/erasure/erase-subject.ts';
import { eraseSubmissions } from '../../shared/node/erasure/erase-submissions.ts';
import { ErasureLogFileError } from '../../shared/node/erasure/erasure-log.ts';
import { ImplausibleClockError } from '../../shared/node/erasure/matching-clocks.ts';
import { readEmail, readId } from '../cli/arguments.ts';
import { describeExternalServices, type DeliveriesBySubmission } from '../erasure/external-services.ts';
import { formatTime } from '../cli/terminal.ts';

/** Longer than a lease. A retry for an erased request ends immediately. */
const TIMEOUT = 2 * Minute;
const POLL_INTERVAL = 0.5 * Second;

/** Waits for workers to finish the requests' deliveries, for at most two minutes or until a signal. */
async function waitForRunningDeliveries(
  { database, terminal, listenForStop }: Pick<Session, 'database' | 'terminal' | 'listenForStop'>,
  submissionIds: readonly string[],
): Promise<void> {
  const signal = listenForStop();
  const end = performance.now() + TIMEOUT;
  let reported = 0;

  while (!signal.aborted && performance.now() < end) {
    const { count, endsInMs } = await countRunningDeliveries(database, submissionIds);
    if (count === 0) return;
    if (count !== reported) {
      const seconds = Math.ceil(endsInMs / Second);
      terminal.printError(`Waiting up to ${seconds} s for ${count} deliveries that workers are processing. Ctrl-C ends the wait.`);
    }
    reported = count;
    await wait(POLL_INTERVAL, undefined, { signal }).catch(() => undefined);
  }
}

interface Options {
  readonly email?: string;
  readonly yes?: true;
}

function describeData({ submissions, subscriptions }: StoredData, deliveries: DeliveriesBySubmission): string[] {
  return [
    ...submissions.map((submission) => {
      const open = (deliveries.get(submission.id) ?? []).filter(({ state }) =>
        ['pending', 'leased', 'dead'].includes(state),
      ).length;
      const status = submission.anonymisedAt
        ? `already erased on ${formatTime(submission.anonymisedAt)}`
        : `received ${formatTime(submission.receivedAt)}`;

      return `  request ${submission.id}, ${status}, ${open} deliveries to cancel`;
    }),
    ...subscriptions.map(({ id }) => `  newsletter subscription ${id}`),
  ];
}

function readSubject(id: string | undefined, { email }: Options, command: Command): Subject {
  if ((id === undefined) === (email === undefined)) {
    return command.error('error: give either an id or --email');
  }

  return email === undefined ? { id: id ?? '' } : { email };
}

/** @throws OpsError if the erasure can't be recorded, or if an implausible clock would give it the wrong time */
async function eraseNow({ config, database }: Session, subject: Subject): Promise<ErasedSubject> {
  try {
    return await eraseSubject(database, config, subject);
  } catch (error) {
    if (!(error instanceof ImplausibleClockError || error instanceof ErasureLogFileError)) throw error;
    throw new OpsError(`Nothing is erased. ${error.message}`);
  }
}

/** Waits for running deliveries, which may still create data, and prints which services may have the data. */
async function printExternalServices(session: Session, data: StoredData): Promise<void> {
  const { database, terminal } = session;
  const { print } = terminal;
  const ids = data.submissions.map(({ id }) => id);
  await waitForRunningDeliveries(session, ids);
  // Cancels deliveries that have just failed and would be retried.
  await eraseSubmissions(database, ids);
  const deliveries = await listDeliveriesOf(database, ids);
  print('External services that may have the data:');
  for (const line of await describeExternalServices(session, data, deliveries)) print(line);
  print('Logs contain no personal data.');
}

async function erase(
  session: Session,
  id: string | undefined,
  options: Options,
  command: Command,
): Promise<void> {
  const { database, logger, terminal } = session;
  const { print } = terminal;
  const subject = readSubject(id, options, command);
  const stored = await findStoredData(database, subject);
  if ('id' in subject && stored.submissions.length === 0) {
    throw new OpsError(`There is no request ${subject.id}.`);
  }
  const deliveries = await listDeliveriesOf(
    database,
    stored.submissions.map((submission) => submission.id),
  );
  const lines = describeData(stored, deliveries);
  print(lines.length > 0 ? 'Stored here:' : 'Nothing about the address is stored here.');
  for (const line of lines) print(line);

  if (!options.yes) {
    return print(`Nothing was changed. --yes ${lines.length > 0 ? 'erases this permanently' : 'records the address, so that it is erased from restored backups'}.`);
  }
  const { data, isFiled, ...erased } = await eraseNow(session, subject);
  logger.info({ ...erased, by: 'email' in subject ? 'email' : 'id' }, 'Erased on request.');
  print(
    lines.length > 0
      ? `Erased: ${erased.submissions} requests, ${erased.subscriptions} newsletter subscriptions.`
      : 'There was nothing to erase. The erasure is recorded, so that the address is erased from restored backups.',
  );
  if (!isFiled) {
    print('It is recorded in the database only, because the erasure log is missing. `ops deliveries release` adds it to the log.');
  }
  await printExternalServices(session, data);
}

/** Adds the command `submissions erase`. */
export function addEraseSubmissions(parent: Command, context: CommandContext): void {
  parent
    .command('erase')
    .description('erase a person’s data permanently: show what is stored, and with --yes erase it')
    .addArgument(new Argument('[id]', 'one request').argParser(readId))
    .addOption(
      new Option('--email <address>', 'all data of an address, including its newsletter subscription')
        .argParser(readEmail),
    )
    .option('--yes', 'erase the data')
    .addHelpText(
      'after',
      '\nRequests are anonymized, which keeps the counts, and their pending deliveries are cancelled. Later' +
        '\nrequests of the same person are not erased. The command waits at most two minutes for deliveries that a' +
        '\nworker is processing. Ctrl-C ends the wait, and the same command with the id resumes it.',
    )
    .action(withSession(context, erase));
}
