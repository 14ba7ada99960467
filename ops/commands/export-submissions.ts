import { sourceNames } from '../../shared/contact/submission-source.ts';
import { exportedColumns, type Submission } from '../../shared/node/contact/contact-submission-store.ts';
import { type SubmissionEvent, listEvents } from '../../shared/node/contact/submission-events.ts';
import { getSubmissionState } from '../../shared/node/contact/submission-state.ts';
import { type ListedDelivery, listDeliveriesOf } from '../../shared/node/deliveries/list-deliveries.ts';
import { Option, type Command } from 'commander';
import { stringify } from 'csv-stringify/sync';
import { formatCount } from '../../shared/format-count.ts';
import { findSpellings } from '../../shared/node/erasure/erase-subject.ts';
import type { Database } from '../../shared/node/database/database.ts';
import {
  countSubmissions,
  streamSubmissions,
  type SubmissionFilter,
} from '../../shared/node/contact/list-submissions.ts';
import { streamSubscriptions } from '../../shared/node/newsletter/newsletter-subscription-store.ts';
import { spreadsheetCsv } from '../../shared/node/files/spreadsheet-csv.ts';
import { readEmail, readId } from '../cli/arguments.ts';
import { OpsError, withSession, type CommandContext, type Session } from '../cli/session.ts';
import { toJson } from '../cli/terminal.ts';
import { writeToFile, writeToStream } from '../cli/write-output.ts';

const toExportedEvent = ({ at, by, what, until, details, undoneAt, undoneBy }: SubmissionEvent) => ({
  at,
  by,
  what,
  until,
  from: details.from ?? null,
  to: details.to ?? null,
  reason: details.reason ?? null,
  undone_at: undoneAt,
  undone_by: undoneBy,
});

/** Returns a request's stored data by column, without internal hashes and numbers. */
export const toExportedSubmission = (
  submission: Submission,
  deliveries: readonly ListedDelivery[],
  events: readonly SubmissionEvent[],
) => ({
  ...Object.fromEntries(exportedColumns.map(([column, property]): [string, unknown] => [column, Reflect.get(submission, property)])),
  state: getSubmissionState(submission),
  events: events.map(toExportedEvent),
  deliveries,
});

const [, ...plainColumns] = exportedColumns.map(([column]) => column).filter((column) => column !== 'source');

/** The CSV's columns. The CSV contains neither deliveries nor events. */
const csvColumns: readonly string[] = ['id', 'state', ...plainColumns, ...sourceNames];

function toCell(value: unknown): unknown {
  if (Array.isArray(value)) return value.join(' ');

  return value instanceof Date ? value.toISOString() : value;
}

/** Returns the CSV row for a request. */
function toCsvCells(submission: Submission): readonly unknown[] {
  const values: Readonly<Record<string, unknown>> = { ...submission.source, ...toExportedSubmission(submission, [], []) };

  return csvColumns.map((column) => toCell(values[column]));
}

interface Options {
  readonly email?: string;
  readonly id?: string;
  readonly all?: true;
  readonly format: 'json' | 'csv';
  readonly output?: string;
}

interface Selection {
  readonly filter: SubmissionFilter;
  readonly subscriptions: { readonly emails?: readonly string[] } | undefined;
}

async function* formatCsv(database: Database, { filter }: Selection) {
  yield stringify([[...csvColumns]], spreadsheetCsv);
  for await (const batch of streamSubmissions(database, filter)) {
    yield stringify(batch.map(toCsvCells), spreadsheetCsv);
  }
}

async function* formatItems(batches: AsyncIterable<readonly unknown[]>) {
  let isFirst = true;
  for await (const batch of batches) {
    for (const item of batch) {
      yield `${isFirst ? '\n' : ',\n'}${toJson(item)}`;
      isFirst = false;
    }
  }
}

async function* readWithHistory(database: Database, filter: SubmissionFilter) {
  for await (const batch of streamSubmissions(database, filter)) {
    const ids = batch.map(({ id }) => id);
    const deliveries = await listDeliveriesOf(database, ids);
    const events = await listEvents(database, ids);
    yield batch.map((submission) =>
      toExportedSubmission(
        submission,
        deliveries.get(submission.id) ?? [],
        events.get(submission.id) ?? [],
      ),
    );
  }
}

async function* formatJson(database: Database, { filter, subscriptions }: Selection) {
  yield `{"exported_at":${toJson(new Date())},"submissions":[`;
  yield* formatItems(readWithHistory(database, filter));
  yield '],"newsletter_subscriptions":[';
  if (subscriptions) yield* formatItems(streamSubscriptions(database, subscriptions.emails));
  yield ']}\n';
}

async function resolveSelection(database: Database, { email, id }: Options): Promise<Selection> {
  if (id !== undefined) return { filter: { id }, subscriptions: undefined };
  if (email === undefined) return { filter: {}, subscriptions: {} };
  const emails = await findSpellings(database, email);

  return { filter: { emails }, subscriptions: { emails } };
}

async function exportSubmissions({ database, terminal, listenForStop }: Session, options: Options, command: Command) {
  const { email, id, all, format, output } = options;
  if (email === undefined && id === undefined && !all) {
    command.error('error: give --email, --id or --all');
  }
  const selection = await resolveSelection(database, options);
  const total = await countSubmissions(database, selection.filter);
  if (id !== undefined && total === 0) throw new OpsError(`There is no request ${id}.`);

  const text = (format === 'csv' ? formatCsv : formatJson)(database, selection);
  await (output === undefined ? writeToStream(text, terminal.stdout) : writeToFile(text, output, listenForStop()));
  terminal.printError(`${formatCount(total, 'request')} exported.`);
}

/** Adds the command `submissions export`. */
export function addExportSubmissions(parent: Command, context: CommandContext): void {
  parent
    .command('export')
    .description('export the requests of one person (a subject access request), one request, or all')
    .addOption(
      new Option('--email <address>', 'all data of an address, including its newsletter subscription')
        .argParser(readEmail)
        .conflicts(['id', 'all']),
    )
    .addOption(new Option('--id <id>', 'one request').argParser(readId).conflicts('all'))
    .option('--all', 'everything')
    .addOption(
      new Option('--format <format>', 'json: everything; csv: a table of the requests')
        .choices(['json', 'csv'])
        .default('json'),
    )
    .option('--output <file>', 'write to a file that only its owner may read; default standard output')
    .action(withSession(context, exportSubmissions));
}
