import { Command, CommanderError } from 'commander';
import type { Environment } from '../shared/node/config/settings.ts';
import { isDatabaseUnavailable } from '../shared/node/database/database.ts';
import { describeError, formatError, SiteError } from '../shared/node/logging/describe-error.ts';
import { addAlerts } from './commands/alerts.ts';
import { addBackup } from './commands/backup.ts';
import { addCrm } from './commands/crm.ts';
import { addDeliveries } from './commands/deliveries.ts';
import { addDoctor } from './commands/doctor.ts';
import { addMail } from './commands/mail.ts';
import { addReport } from './commands/report.ts';
import { addRestore } from './commands/restore.ts';
import { addRetention } from './commands/retention.ts';
import { addSales } from './commands/sales.ts';
import { addStatus } from './commands/status.ts';
import { addSubmissions } from './commands/submissions.ts';
import { addSubscribers } from './commands/subscribers.ts';
import { ReportedError, type CommandContext } from './cli/session.ts';
import { createStopSignals, StoppedError } from './cli/stop-signals.ts';
import { createTerminal, type Streams } from './cli/terminal.ts';

function createProgram(context: CommandContext): Command {
  const { stdout, stderr } = context.terminal;
  const program = new Command('ops')
    .description('Operates the website: its requests, deliveries, checks and backups.')
    .exitOverride()
    .configureOutput({ writeOut: (text) => stdout.write(text), writeErr: (text) => stderr.write(text) })
    .showHelpAfterError('(see --help)')
    .addHelpText(
      'after',
      '\nExamples:\n  ops status\n  ops doctor\n  ops submissions list --overdue\n  ops deliveries retry --dead' +
        '\n\nExit codes: 0 success, 1 an error or a failed check, 2 wrong usage, 130 or 143 stopped by SIGINT or SIGTERM. `backup --daily` exits with 0 after either signal.',
    );
  addStatus(program, context);
  addDoctor(program, context);
  addSubmissions(program, context);
  addSubscribers(program, context);
  addDeliveries(program, context);
  addSales(program, context);
  addMail(program, context);
  addCrm(program, context);
  addAlerts(program, context);
  addReport(program, context);
  addRetention(program, context);
  addBackup(program, context);
  addRestore(program, context);

  return program;
}

/** Returns whether the error is about a file. Its path may be printed, because the operator chose it. */
const isFileError = (error: unknown): error is Error & { readonly path: string } =>
  error instanceof Error && 'syscall' in error && 'path' in error && typeof error.path === 'string';

const INSUFFICIENT_PRIVILEGE = '42501';

const UNDEFINED_NAMES: ReadonlySet<string> = new Set(['42P01', '42703']);

/** Returns the message if the error is ours. Other messages are omitted, because they may contain personal data. */
function describeFailure(error: unknown): string {
  if (error instanceof SiteError) return error.message;
  const { code, type } = describeError(error);
  const summary = code === undefined ? type : String(code);
  if (isDatabaseUnavailable(error)) {
    return `PostgreSQL can't be used (${summary}): run \`ops doctor\`.`;
  }
  if (summary === INSUFFICIENT_PRIVILEGE) {
    return `DATABASE_URL's role is not allowed to do this (${summary}): run \`ops doctor\`.`;
  }
  if (UNDEFINED_NAMES.has(summary)) {
    return `The schema doesn't match this version (${summary}): run \`ops doctor\`.`;
  }

  if (isFileError(error)) return `${error.path} can't be used (${summary}).`;

  return `It failed: ${formatError(error)}`;
}

/** Runs one `ops` command and returns its exit code. */
export async function runCommand(
  args: readonly string[],
  streams: Streams,
  environment?: Environment,
): Promise<number> {
  const terminal = createTerminal(streams);
  const stopSignals = createStopSignals();

  try {
    await createProgram({ environment, terminal, listenForStop: stopSignals.listen }).parseAsync(args, { from: 'user' });

    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof ReportedError)) terminal.printError(describeFailure(error));

    return error instanceof StoppedError ? error.exitCode : 1;
  } finally {
    stopSignals.close();
  }
}
