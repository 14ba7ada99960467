import { Option, type Command } from 'commander';
import { stringify } from 'csv-stringify/sync';
import { findSpellings } from '../../shared/node/erasure/erase-subject.ts';
import type { Database } from '../../shared/node/database/database.ts';
import {
  countSubmissions,
  streamSubmissions,
  type SubmissionFilter,
} from '../../shared/node/contact/list-submissions.ts';
import { listDeliveriesOf } from '../../shared/node/deliveries/list-deliveries.ts';
import { streamSubscriptions } from '../../shared/node/newsletter/erase-subscriptions.ts';
import { spreadsheetCsv } from '../../shared/node/contact/spreadsheet-csv.ts';
import { readEmail, readId } from '../cli/arguments.ts';
import { csvColumns, toCsvCells, toExportedSubmission } from '../submissions/exported-submission.ts';
import { startProgress } from '../cli/progress.ts';
import { OpsError, withSession, type Session } from '../cli/session.ts';
import { printError, toJson } from '../cli/terminal.ts';
import { writeOutput } from '../cli/write-output.ts';

interface Options {
  readonly email?: string;
  readonly id?: string;
  readonly all?: true;
  readonly format: 'json' | 'csv';
  readonly output?: string;
}

/** What is exported: requests, and subscriptions of these addresses, of all, or none. */
interface Wanted {
  readonly filter: SubmissionFilter;
  readonly subscriptions: { readonly emails?: readonly string[] } | undefined;
}

type Report = (count: number) => void;

async function* formatCsv(database: Database, { filter }: Wanted, report: Report) {
  yield stringify([[...csvColumns]], spreadsheetCsv);
  for await (const batch of streamSubmissions(database, filter)) {
    yield stringify(batch.map(toCsvCells), spreadsheetCsv);
    report(batch.length);
  }
}

/** Items of a JSON array, one a line. */
async function* formatItems(batches: AsyncIterable<readonly unknown[]>) {
  let isFirst = true;
  for await (const batch of batches) {
    for (const item of batch) {
      yield `${isFirst ? '\n' : ',\n'}${toJson(item)}`;
      isFirst = false;
    }
  }
}

async function* readWithDeliveries(database: Database, filter: SubmissionFilter, report: Report) {
  for await (const batch of streamSubmissions(database, filter)) {
    const deliveries = await listDeliveriesOf(
      database,
      batch.map(({ id }) => id),
    );
    yield batch.map((submission) =>
      toExportedSubmission(submission, deliveries.get(submission.id) ?? []),
    );
    report(batch.length);
  }
}

async function* formatJson(database: Database, { filter, subscriptions }: Wanted, report: Report) {
  yield `{"exported_at":${toJson(new Date())},"submissions":[`;
  yield* formatItems(readWithDeliveries(database, filter, report));
  yield '],"newsletter_subscriptions":[';
  if (subscriptions) yield* formatItems(streamSubscriptions(database, subscriptions.emails));
  yield ']}\n';
}

async function findWanted(database: Database, { email, id }: Options): Promise<Wanted> {
  if (id !== undefined) return { filter: { id }, subscriptions: undefined };
  if (email === undefined) return { filter: {}, subscriptions: {} };
  const emails = await findSpellings(database, email);

  return { filter: { emails }, subscriptions: { emails } };
}

async function exportSubmissions({ database }: Session, options: Options, command: Command) {
  const { email, id, all, format, output } = options;
  if (email === undefined && id === undefined && !all) {
    command.error("error: say what to export: --email, --id or --all");
  }
  const wanted = await findWanted(database, options);
  const total = await countSubmissions(database, wanted.filter);
  if (id !== undefined && total === 0) throw new OpsError(`There is no request ${id}.`);

  const progress = startProgress(total);
  let done = 0;
  const report = (count: number) => progress.show((done += count));
  const formatAll = format === 'csv' ? formatCsv : formatJson;
  try {
    await writeOutput(formatAll(database, wanted, report), output);
  } finally {
    progress.end();
  }
  printError(`${done} ${done === 1 ? 'request' : 'requests'} exported.`);
}

/** `submissions export` */
export function addExportSubmissions(parent: Command): void {
  parent
    .command('export')
    .description('export requests: of one person (a subject access request), one of them, or all')
    .addOption(
      new Option('--email <address>', 'all of an address, its newsletter subscription too')
        .argParser(readEmail)
        .conflicts(['id', 'all']),
    )
    .addOption(new Option('--id <id>', 'one request').argParser(readId).conflicts('all'))
    .option('--all', 'everything')
    .addOption(
      new Option('--format <format>', 'json has everything, csv is a table of the requests')
        .choices(['json', 'csv'])
        .default('json'),
    )
    .option('--output <file>', 'write to a file only its owner may read; else to standard output')
    .addHelpText(
      'after',
      '\nExamples:\n  ops submissions export --email ada@example.org --output ada.json' +
        '\n  ops submissions export --all --format csv > requests.csv',
    )
    .action(withSession(exportSubmissions));
}
