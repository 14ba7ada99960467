import { Command, CommanderError } from 'commander';
import { isDatabaseUnavailable } from '../shared/node/database/database.ts';
import { describeError, formatError, SiteError } from '../shared/node/logging/describe-error.ts';
import { addAlerts } from './commands/alerts.ts';
import { addBackup } from './commands/backup.ts';
import { addCrm } from './commands/crm.ts';
import { addDeliveries } from './commands/deliveries.ts';
import { addDoctor } from './commands/doctor.ts';
import { addMail } from './commands/mail.ts';
import { addRestore } from './commands/restore.ts';
import { addRetention } from './commands/retention.ts';
import { addSubmissions } from './commands/submissions.ts';
import { printError } from './cli/terminal.ts';

/** The operator's tool. Exit codes: 0 success, 1 an error or a failed check, 2 wrong usage. */
function createProgram(): Command {
  const program = new Command('ops')
    .description('Operates the website: its requests, deliveries, checks and backups.')
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .addHelpText(
      'after',
      '\nExamples:\n  ops doctor\n  ops submissions list --overdue\n  ops deliveries retry --dead' +
        '\n\nExit codes: 0 success, 1 an error or a failed check, 2 wrong usage.',
    );
  addDoctor(program);
  addSubmissions(program);
  addDeliveries(program);
  addMail(program);
  addCrm(program);
  addAlerts(program);
  addRetention(program);
  addBackup(program);
  addRestore(program);

  return program;
}

/** Errors of the file system name a file that the operator chose. */
const isFileError = (error: unknown): error is Error & { readonly path: string } =>
  error instanceof Error && 'syscall' in error && 'path' in error && typeof error.path === 'string';

/** SQLSTATEs of undefined tables and columns. */
const UNDEFINED_NAMES: ReadonlySet<string> = new Set(['42P01', '42703']);

/** The message of an error of ours; of any other its type and place, since messages may name people. */
function describeFailure(error: unknown): string {
  if (error instanceof SiteError) return error.message;
  const { code, type } = describeError(error);
  const summary = code === undefined ? type : String(code);
  if (isDatabaseUnavailable(error)) {
    return `PostgreSQL can't be used (${summary}): run \`ops doctor\`.`;
  }
  if (UNDEFINED_NAMES.has(summary)) {
    return `The schema doesn't match this version (${summary}): run \`ops doctor\`.`;
  }

  if (isFileError(error)) return `${error.path} can't be used (${summary}).`;

  return `It failed: ${formatError(error)}`;
}

async function run(): Promise<number> {
  try {
    await createProgram().parseAsync();

    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    printError(describeFailure(error));

    return 1;
  }
}

// A reader such as `head` closes the pipe when it has enough.
process.stdout.on('error', () => process.exit(0));
// Not left to the event loop: a connection to a server that hangs would keep it alive.
process.exit(await run());
