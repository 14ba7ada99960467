import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Command } from 'commander';
import { createBackupCopier } from '../backup/copy-backups.ts';
import { startDailyBackups } from '../backup/daily-backups.ts';
import type { RowCounts } from '../postgres/list-tables.ts';
import { makeBackup, type Backup } from '../backup/make-backup.ts';
import { canRehearse, rehearseRestore } from '../backup/rehearse-restore.ts';
import { fetchBackup, listStoredBackups, withFolderIn } from '../repository/fetch-backup.ts';
import { checkRepository, requireRepository } from '../repository/repository.ts';
import { selectSite, takeOverSite } from '../repository/sites.ts';
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
  readonly takeOver?: string;
  readonly rehearse?: true;
  readonly json?: true;
}

/** Shorter than the time after which a container is killed. */
const SHUTDOWN_TIMEOUT = 25 * Second;

/** Prints how many rows each table has. */
export function printRowCounts({ printTable }: Terminal, rows: RowCounts): void {
  printTable(['table', 'rows'], Object.entries(rows));
}

/** Copies what was just made; the backup stays when that fails. */
async function copy(config: Config, path: string, { printError }: Terminal, signal: AbortSignal): Promise<boolean> {
  const onWait = () => printError('Waiting for another copy to BACKUP_REPOSITORY …');
  try {
    return await createBackupCopier(config, onWait).copy(signal);
  } catch (error) {
    if (!(error instanceof OpsError)) throw error;
    throw new OpsError(`${path} is made and verified, but it could not be copied to BACKUP_REPOSITORY. ${error.message}`);
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
  for (const old of removed) terminal.print(`${old} is deleted; the newest ${keep} stay.`);
}

async function rehearse(config: Config, backup: Backup, signal: AbortSignal): Promise<void> {
  if (!(await canRehearse(config))) {
    throw new OpsError('A rehearsal needs DATABASE_ADMIN_URL, or a role that may create databases.');
  }
  await rehearseRestore(config, backup, signal);
}

async function backUpOnce(
  config: Config,
  flags: BackupFlags,
  { terminal, listenForStop }: CommandContext,
): Promise<void> {
  const { output, keep = config.backup.keep, json } = flags;
  if (output !== undefined && existsSync(output)) {
    throw new OpsError(`${output} exists already: choose another name.`);
  }
  const signal = listenForStop();
  const settings = { ...config, backup: { ...config.backup, keep } };
  const backup = await makeBackup(settings, { signal, ...(output !== undefined && { output }) });
  if (!backup) throw new OpsError('Another backup is running.');
  if (backup.erasureLogProblem !== undefined) terminal.printError(backup.erasureLogProblem);
  printBackup(terminal, backup, { ...flags, keep });
  if (output === undefined && (await copy(config, backup.path, terminal, signal)) && !json) {
    terminal.print('It is in BACKUP_REPOSITORY, with the erasure log.');
  }
  if (!flags.rehearse) return;
  await rehearse(config, backup, signal);
  if (!json) terminal.print('It was restored into a database of its own, with all its rows; that database is dropped.');
}

async function checkStoredBackups(config: Config, { terminal: { print }, listenForStop }: CommandContext): Promise<void> {
  const restic = requireRepository(config);
  const signal = listenForStop();
  const { snapshots, others } = await selectSite(restic, config, { signal });
  const names = listStoredBackups(snapshots);
  await checkRepository(restic, signal);
  const size = await withFolderIn(config.backup.directory, async (folder) => {
    const path = await fetchBackup(restic, folder, snapshots, { signal });

    return (await stat(path)).size;
  });
  for (const name of names) print(name);
  print(`BACKUP_REPOSITORY is complete: ${formatCount(names.length, 'backup')}. The newest was read, ${formatSize(size)}, and its SHA-256 is right.`);
  if (others !== undefined) print(others);
}

async function takeOver(config: Config, site: string, { terminal, listenForStop }: CommandContext): Promise<void> {
  await takeOverSite(requireRepository(config), config, site, listenForStop());
  terminal.print(`The backups of ${site} are this site's now. The next backup removes those beyond BACKUP_KEEP.`);
}

/** Never resolves: a signal ends the process. */
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
  const { daily, check, takeOver: site, rehearse: rehearses, output, keep } = flags;
  if ((daily || check || site !== undefined) && Object.keys(flags).length > 1) {
    command.error('error: --daily, --check and --take-over take no other option');
  }
  if (output !== undefined && (keep !== undefined || rehearses)) {
    command.error('error: --keep and --rehearse apply to BACKUP_DIR, not to --output');
  }
  const config = loadConfig(context.environment);
  if (check) return checkStoredBackups(config, context);
  if (site !== undefined) return takeOver(config, site, context);

  await (daily ? backUpDaily(config) : backUpOnce(config, flags, context));
}

/** `backup` */
export function addBackup(program: Command, context: CommandContext): void {
  program
    .command('backup')
    .description('back up the whole database into BACKUP_DIR, verify it, copy it to BACKUP_REPOSITORY, and delete the oldest')
    .option('--output <file>', 'write this file instead, and delete nothing')
    .option('--keep <number>', 'keep this many in BACKUP_DIR; default BACKUP_KEEP', readCount)
    .option('--rehearse', 'restore it into a database of its own afterwards, and compare the rows')
    .option('--check', 'make none: check BACKUP_REPOSITORY, and read the newest backup in it')
    .option('--take-over <site>', 'make none: make the backups of a site that this one replaces its own')
    .option('--daily', 'run until stopped: a backup each day at each time of BACKUP_AT, and a rehearsal a week')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nA backup contains everything that visitors wrote: store it where nobody else can read it, and on' +
        '\nanother machine too: BACKUP_REPOSITORY does so, encrypted. It contains the current erasure log; copy' +
        '\nERASURES_DIR all the same, as the repository does, since a restore needs the newest one. It does not' +
        '\ncontain the settings.',
    )
    .action((flags: BackupFlags, command: Command) => backUp(context, flags, command));
}
