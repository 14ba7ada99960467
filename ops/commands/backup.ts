import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { createBackupCopier } from '../backup/copy-backups.ts';
import { startDailyBackups } from '../backup/daily-backups.ts';
import type { RowCounts } from '../postgres/list-tables.ts';
import { makeBackup, type Backup } from '../backup/make-backup.ts';
import { canRehearse, rehearseRestore } from '../backup/rehearse-restore.ts';
import { fetchBackup, listStoredBackups, withTemporaryFolder } from '../repository/fetch-backup.ts';
import { checkRepository, requireRepository, requireSnapshots } from '../repository/repository.ts';
import { formatCount } from '../../shared/format-count.ts';
import { startAlerts } from '../../shared/node/alerts/start-alerts.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { loadConfig, type Config } from '../../shared/node/config/config.ts';
import { warnOfRemovedSettings } from '../../shared/node/config/known-names.ts';
import { createDatabase } from '../../shared/node/database/database.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { closeGracefully } from '../../shared/node/process/process.ts';
import { Second } from '../../shared/time.ts';
import { readCount } from '../cli/arguments.ts';
import { OpsError, type CommandContext } from '../cli/session.ts';
import { formatSize, toJson, type Terminal } from '../cli/terminal.ts';

interface BackupFlags {
  readonly output?: string;
  readonly keep?: number;
  readonly daily?: true;
  readonly check?: true;
  readonly rehearse?: true;
  readonly json?: true;
}

/** Shorter than Docker's grace period for a container. */
const SHUTDOWN_TIMEOUT = 25 * Second;

/** Prints how many rows each table has. */
export function printRowCounts({ printTable }: Terminal, rows: RowCounts): void {
  printTable(['table', 'rows'], Object.entries(rows));
}

/** Copies a new backup to the repository. Returns false without a repository. @throws OpsError, but keeps the local backup */
async function copy(config: Config, path: string, { printError }: Terminal, signal: AbortSignal): Promise<boolean> {
  const onWait = () => printError('Waiting for another process that is copying to BACKUP_REPOSITORY …');

  try {
    return await createBackupCopier(config, onWait).copy(signal);
  } catch (error) {
    if (!(error instanceof OpsError)) throw error;
    throw new OpsError(`${path} is complete and verified, but could not be copied to BACKUP_REPOSITORY. ${error.message}`);
  }
}

function printBackup(terminal: Terminal, { path, createdAt, bytes, sha256, rows, removed }: Backup, { json, keep }: BackupFlags): void {
  if (json) {
    return terminal.print(
      toJson({ file: path, created_at: createdAt, bytes, sha256, rows, removed }, 2),
    );
  }
  printRowCounts(terminal, rows);
  terminal.print(`${path}: ${formatSize(bytes)}, verified.`);
  for (const old of removed) terminal.print(`${old} was deleted. The newest ${keep} are kept.`);
}

async function backUpOnce(
  config: Config,
  flags: BackupFlags,
  { terminal, listenForStop }: CommandContext,
): Promise<void> {
  const { output, keep = config.backup.keep, json } = flags;
  if (output !== undefined && existsSync(output)) {
    throw new OpsError(`${output} already exists. Choose another name.`);
  }
  const signal = listenForStop();
  const settings = { ...config, backup: { ...config.backup, keep } };
  const backup = await makeBackup(settings, { signal, ...(output !== undefined && { output }) });
  if (!backup) throw new OpsError('Another backup is running.');
  if (backup.erasureLogProblem !== undefined) terminal.printError(backup.erasureLogProblem);
  printBackup(terminal, backup, { ...flags, keep });
  if (output === undefined && (await copy(config, backup.path, terminal, signal)) && !json) {
    terminal.print('It was copied to BACKUP_REPOSITORY, with the erasure log.');
  }
  if (!flags.rehearse) return;
  if (!(await canRehearse(config))) {
    throw new OpsError('A rehearsal needs DATABASE_ADMIN_URL, or a role that may create databases.');
  }
  await rehearseRestore(config, backup, signal);
  if (!json) terminal.print('It was restored into a temporary database, with all its rows.');
}

async function checkStoredBackups(config: Config, { terminal: { print }, listenForStop }: CommandContext): Promise<void> {
  const restic = requireRepository(config);
  const signal = listenForStop();
  const snapshots = await requireSnapshots(restic, signal);
  const names = listStoredBackups(snapshots);
  await checkRepository(restic, signal);
  const size = await withTemporaryFolder(config.backup.directory, async (folder) => {
    const path = await fetchBackup(restic, folder, snapshots, { signal });

    return (await stat(path)).size;
  });
  for (const name of names) print(name);
  print(`BACKUP_REPOSITORY is complete: ${formatCount(names.length, 'backup')}. The newest one (${formatSize(size)}) was read, and its SHA-256 matches.`);
}

/** Runs until a signal ends the process. */
async function backUpDaily(config: Config): Promise<never> {
  const logger = createLogger({ level: config.logLevel, process: 'backup' });
  warnOfRemovedSettings(logger);
  const database = createDatabase(config.databaseUrl, 'backup');
  const alerts = startAlerts(config, { database, logger, timings: productionTimings });
  const onClose = [startDailyBackups(config, logger), alerts.stop, () => database.destroy()];
  closeGracefully({ logger, deadlineMs: SHUTDOWN_TIMEOUT, onClose });
  logger.info({ folder: config.backup.directory }, 'Daily backups are scheduled.');

  return new Promise(() => undefined);
}

async function backUp(context: CommandContext, flags: BackupFlags, command: Command): Promise<void> {
  const { daily, check, rehearse, output, keep } = flags;
  if ((daily || check) && Object.keys(flags).length > 1) {
    command.error('error: --daily and --check can’t be combined with other options');
  }
  if (output !== undefined && (keep !== undefined || rehearse)) {
    command.error('error: --keep and --rehearse apply to BACKUP_DIR, not to --output');
  }
  const config = loadConfig(context.environment);
  if (check) return checkStoredBackups(config, context);

  await (daily ? backUpDaily(config) : backUpOnce(config, flags, context));
}

/** Adds the command `backup`. */
export function addBackup(program: Command, context: CommandContext): void {
  program
    .command('backup')
    .description('back up the whole database into BACKUP_DIR, verify it, copy it to BACKUP_REPOSITORY, and delete the oldest')
    .option('--output <file>', 'write this file instead, and delete nothing')
    .option('--keep <number>', 'keep this many in BACKUP_DIR; default BACKUP_KEEP', readCount)
    .option('--rehearse', 'afterwards restore it into a temporary database and compare the rows')
    .option('--check', 'make no backup; check BACKUP_REPOSITORY and read the newest backup in it')
    .option('--daily', 'run until stopped: back up every day at the times in BACKUP_AT, and rehearse a restore every week')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nA backup contains everything that visitors wrote. Store it where nobody else can read it, and keep a copy' +
        '\non another machine. BACKUP_REPOSITORY does both: its copies are encrypted. A restore needs the newest erasure log, so copy' +
        '\nERASURES_DIR too, as the repository does. A backup does not contain the settings.',
    )
    .action((flags: BackupFlags, command: Command) => backUp(context, flags, command));
}
