import { Command, CommanderError } from 'commander';
import { ConfigError } from '../shared/node/config/config.ts';
import { isDatabaseUnavailable } from '../shared/node/database/database.ts';
import { describeError, formatError } from '../shared/node/logging/describe-error.ts';
import { addAlerts } from './commands/alerts.ts';
import { addBackup } from './commands/backup.ts';
import { addCrm } from './commands/crm.ts';
import { addDeliveries } from './commands/deliveries.ts';
import { addMail } from './commands/mail.ts';
import { addRestore } from './commands/restore.ts';
import { addRetention } from './commands/retention.ts';
import { addSubmissions } from './commands/submissions.ts';
import { addDoctor } from './doctor/doctor.ts';
import { OpsError } from './cli/session.ts';
import { printError } from './cli/terminal.ts';

/** The operator's tool. Exit codes: 0 fine, 1 a fault was found or met, 2 called wrongly. */

function makeProgram(): Command {
  const program = new Command('ops')
    .description('Looks after the requests of the website.')
    .exitOverride()
    .showHelpAfterError('(--help tells more)')
    .addHelpText(
      'after',
      '\nExamples:\n  ops doctor\n  ops submissions list --overdue\n  ops deliveries retry --dead' +
        '\n\nExit codes: 0 fine, 1 a fault was found or met, 2 called wrongly.',
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

/** An error of the file system names the file, which the operator chose. */
const isFileError = (error: unknown): error is Error & { readonly path: string } =>
  error instanceof Error && 'syscall' in error && 'path' in error && typeof error.path === 'string';

/** SQLSTATEs of tables and columns PostgreSQL doesn't know. */
const UNKNOWN_NAMES: ReadonlySet<string> = new Set(['42P01', '42703']);

/** What is told of an error nobody foresaw: its kind and place, for messages may name people. */
function describeFailure(error: unknown): string {
  if (error instanceof ConfigError || error instanceof OpsError) return error.message;
  const { code, type } = describeError(error);
  const summary = code === undefined ? type : String(code);
  if (isDatabaseUnavailable(error)) {
    return `PostgreSQL can't be used (${summary}): ask \`ops doctor\`.`;
  }
  if (UNKNOWN_NAMES.has(summary)) {
    return `The schema doesn't fit this version (${summary}): ask \`ops doctor\`.`;
  }

  if (isFileError(error)) return `${error.path} can't be used (${summary}).`;

  return `It failed: ${formatError(error)}`;
}

async function run(): Promise<number> {
  try {
    await makeProgram().parseAsync();

    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    printError(describeFailure(error));

    return 1;
  }
}

// A reader that has seen enough, such as `head`, closes the pipe.
process.stdout.on('error', () => process.exit(0));
// Not left to the event loop: a server that hangs would keep it turning.
process.exit(await run());
