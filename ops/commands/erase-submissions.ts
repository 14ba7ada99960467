import { Argument, Option, type Command } from 'commander';
import {
  eraseOnRequest,
  findStoredData,
  type StoredData,
  type Subject,
} from '../../jobs/privacy/erase-on-request.ts';
import { listDeliveriesOf } from '../../shared/node/deliveries/list-deliveries.ts';
import { readEmail, readId } from '../arguments.ts';
import { describeOtherPlaces, type DeliveriesBySubmission } from '../other-places.ts';
import { OpsError, withSession, type Session } from '../session.ts';
import { formatTime, say } from '../terminal.ts';

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
      const was = submission.anonymisedAt
        ? `erased already on ${formatTime(submission.anonymisedAt)}`
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

async function erase(
  session: Session,
  id: string | undefined,
  options: Options,
  command: Command,
): Promise<void> {
  const { config, database, logger } = session;
  const subject = readSubject(id, options, command);
  const data = await findStoredData(database, subject);
  if ('id' in subject && data.submissions.length === 0) {
    throw new OpsError(`There is no request ${subject.id}.`);
  }
  const deliveries = await listDeliveriesOf(
    database,
    data.submissions.map((submission) => submission.id),
  );
  const found = describeData(data, deliveries);
  say(found.length > 0 ? 'Stored here:' : 'Nothing is stored here about the address.');
  for (const line of found) say(line);

  if (!options.yes) return say('Nothing was changed. With --yes this is erased for good.');
  const erased = await eraseOnRequest(database, config, subject);
  logger.info({ ...erased, by: 'email' in subject ? 'email' : 'id' }, 'Erased on request.');
  say(`Erased: ${erased.submissions} requests, ${erased.subscriptions} newsletter subscriptions.`);
  say('Other places that may hold the data:');
  for (const line of await describeOtherPlaces(session, data, deliveries)) say(line);
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
        '\nWhoever writes again later is not erased.' +
        '\n\nExamples:\n  ops submissions erase --email ada@example.org' +
        '\n  ops submissions erase --email ada@example.org --yes',
    )
    .action(withSession(erase));
}
