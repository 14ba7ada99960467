import { Argument, Option, type Command } from 'commander';
import {
  eraseSubject,
  findStoredData,
  type ErasedSubject,
  type StoredData,
  type Subject,
} from '../../shared/node/erasure/erase-subject.ts';
import { eraseSubmissions } from '../../shared/node/contact/erase-submissions.ts';
import { ImplausibleClockError } from '../../shared/node/retention/retention-guard.ts';
import { listDeliveriesOf } from '../../shared/node/deliveries/list-deliveries.ts';
import { readEmail, readId } from '../cli/arguments.ts';
import { describeExternalServices, type DeliveriesBySubmission } from '../erasure/external-services.ts';
import { OpsError, withSession, type Session } from '../cli/session.ts';
import { formatTime, say } from '../cli/terminal.ts';
import { waitForRunningDeliveries } from '../deliveries/wait-for-running-deliveries.ts';

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
      const was = submission.anonymizedAt
        ? `erased already on ${formatTime(submission.anonymizedAt)}`
        : `received ${formatTime(submission.receivedAt)}`;

      return `  request ${submission.id}, ${was}, ${open} deliveries to call off`;
    }),
    ...subscriptions.map(({ id }) => `  newsletter subscription ${id}`),
  ];
}

function readSubject(id: string | undefined, { email }: Options, command: Command): Subject {
  if ((id === undefined) === (email === undefined)) {
    return command.error('error: say whom to erase: an id or --email');
  }

  return email === undefined ? { id: id ?? '' } : { email };
}

/** @throws OpsError when the time of the erasure would be wrong */
async function eraseNow({ config, database }: Session, subject: Subject): Promise<ErasedSubject> {
  try {
    return await eraseSubject(database, config, subject);
  } catch (error) {
    if (!(error instanceof ImplausibleClockError)) throw error;
    throw new OpsError(`Nothing is erased. ${error.message}`);
  }
}

/**
 * Says where the data may still be, once the workers have ended what they were doing with it when it
 * was erased: until then a mail or a record in the CRM may come into being.
 */
async function sayOtherPlaces(session: Session, data: StoredData): Promise<void> {
  const { database } = session;
  const ids = data.submissions.map(({ id }) => id);
  await waitForRunningDeliveries(database, ids);
  // Of what was given back for another try nothing is left to do.
  await eraseSubmissions(database, ids);
  const deliveries = await listDeliveriesOf(database, ids);
  say('Other places that may hold the data:');
  for (const line of await describeExternalServices(session, data, deliveries)) say(line);
  say('Logs name nobody.');
}

async function erase(
  session: Session,
  id: string | undefined,
  options: Options,
  command: Command,
): Promise<void> {
  const { database, logger } = session;
  const subject = readSubject(id, options, command);
  const stored = await findStoredData(database, subject);
  if ('id' in subject && stored.submissions.length === 0) {
    throw new OpsError(`There is no request ${subject.id}.`);
  }
  const deliveries = await listDeliveriesOf(
    database,
    stored.submissions.map((submission) => submission.id),
  );
  const found = describeData(stored, deliveries);
  say(found.length > 0 ? 'Stored here:' : 'Nothing is stored here about the address.');
  for (const line of found) say(line);

  if (!options.yes) return say('Nothing was changed. With --yes this is erased for good.');
  const { data, isFiled, ...erased } = await eraseNow(session, subject);
  logger.info({ ...erased, by: 'email' in subject ? 'email' : 'id' }, 'Erased on request.');
  say(`Erased: ${erased.submissions} requests, ${erased.subscriptions} newsletter subscriptions.`);
  if (!isFiled) {
    say('That is noted in the database alone, for its list of erased people is not there. The release of deliveries adds it.');
  }
  await sayOtherPlaces(session, data);
}

/** `submissions erase` */
export function addEraseSubmissions(parent: Command): void {
  parent
    .command('erase')
    .description('erase a person’s data for good: shows what there is, and erases with --yes')
    .addArgument(new Argument('[id]', 'one request').argParser(readId))
    .addOption(
      new Option('--email <address>', 'everything of an address, its newsletter subscription too')
        .argParser(readEmail),
    )
    .option('--yes', 'do it')
    .addHelpText(
      'after',
      '\nRequests are anonymised, so that counts stay, and what is open about them is called off.' +
        '\nWhoever writes again later is not erased. It waits, two minutes at most, for what a worker is' +
        '\njust sending; Ctrl-C ends the wait, and a second time with the id goes on from there.' +
        '\n\nExamples:\n  ops submissions erase --email ada@example.org' +
        '\n  ops submissions erase --email ada@example.org --yes',
    )
    .action(withSession(erase));
}
