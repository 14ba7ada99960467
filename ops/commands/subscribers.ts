import type { Command } from 'commander';
import { stringify } from 'csv-stringify/sync';
import { formatCount } from '../../shared/format-count.ts';
import { spreadsheetCsv } from '../../shared/node/files/spreadsheet-csv.ts';
import { streamSubscribers } from '../../shared/node/newsletter/newsletter-subscription-store.ts';
import { withSession, type CommandContext, type Session } from '../cli/session.ts';
import { writeToFile, writeToStream } from '../cli/write-output.ts';

async function exportSubscribers({ database, terminal, listenForStop }: Session, { output }: { readonly output?: string }) {
  let count = 0;
  async function* formatCsv() {
    yield stringify([['email', 'confirmed_at']], spreadsheetCsv);
    for await (const batch of streamSubscribers(database)) {
      yield stringify(batch.map(({ email, confirmedAt }) => [email, confirmedAt.toISOString()]), spreadsheetCsv);
      count += batch.length;
    }
  }
  await (output === undefined ? writeToStream(formatCsv(), terminal.stdout) : writeToFile(formatCsv(), output, listenForStop()));
  terminal.printError(`${formatCount(count, 'subscriber')} exported.`);
}

/** Adds the command `subscribers export`. */
export function addSubscribers(program: Command, context: CommandContext): void {
  program
    .command('subscribers')
    .description('subscribers of the newsletter')
    .command('export')
    .description('export the confirmed addresses as CSV')
    .option('--output <file>', 'write to a file that only its owner may read; default standard output')
    .action(withSession(context, exportSubscribers));
}
