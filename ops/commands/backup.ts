import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { startDailyBackups } from '../backup/daily-backups.ts';
import type { RowCounts } from '../backup/list-tables.ts';
import { makeBackup } from '../backup/make-backup.ts';
import { startAlerts } from '../../shared/node/alerts/start-alerts.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { loadConfig, type Config } from '../../shared/node/config/config.ts';
import { createDatabase } from '../../shared/node/database/database.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { closeGracefully } from '../../shared/node/process/process.ts';
import { Second } from '../../shared/time.ts';
import { readCount } from '../cli/arguments.ts';
import { OpsError } from '../cli/session.ts';
import { printError, print, printTable, toJson } from '../cli/terminal.ts';

interface BackupFlags {
  readonly output?: string;
  readonly keep?: number;
  readonly daily?: true;
  readonly json?: true;
}

/** Shorter than the time after which a container is killed. */
const SHUTDOWN_TIMEOUT = 25 * Second;

/** Prints how many rows each table has. */
export function printRowCounts(rows: RowCounts): void {
  printTable(['table', 'rows'], Object.entries(rows));
}

async function backUpOnce(
  config: Config,
  { output, keep = config.backup.keep, json }: BackupFlags,
): Promise<void> {
  if (output !== undefined && existsSync(output)) {
    throw new OpsError(`${output} exists already: choose another name.`);
  }
  const settings = { ...config, backup: { ...config.backup, keep } };
  const backup = await makeBackup(settings, output === undefined ? {} : { output });
  if (!backup) throw new OpsError('Another backup is running.');
  const { path, createdAt, bytes, sha256, rows, removed, erasureLogProblem } = backup;
  if (erasureLogProblem !== undefined) printError(erasureLogProblem);
  if (json) {
    return print(
      toJson({ file: path, created_at: createdAt, bytes, sha256, rows, removed }, 2),
    );
  }

  printRowCounts(rows);
  print(`${path}: ${(bytes / 1024 ** 2).toFixed(1)} MB, verified.`);
  for (const old of removed) print(`${old} is deleted; the newest ${keep} stay.`);
}

/** Never resolves: a signal ends the process. */
function backUpDaily(config: Config): Promise<never> {
  const logger = createLogger({ level: config.logLevel, process: 'backup' });
  const database = createDatabase(config.databaseUrl, 'backup');
  const alerts = startAlerts(config, { database, logger, timings: productionTimings });
  const stop = startDailyBackups(config, logger);
  const onClose = [stop, alerts.stop, () => database.destroy()];
  closeGracefully({ logger, deadlineMs: SHUTDOWN_TIMEOUT, onClose });
  logger.info({ folder: config.backup.directory }, 'Daily backups are scheduled.');

  return new Promise(() => undefined);
}

async function backUp(flags: BackupFlags, command: Command): Promise<void> {
  const { daily, output, keep, json } = flags;
  if (daily && (output !== undefined || keep !== undefined || json)) {
    command.error('error: --daily takes no other option; it is set up by BACKUP_DIR, BACKUP_KEEP and BACKUP_AT');
  }
  if (output !== undefined && keep !== undefined) {
    command.error('error: --keep applies to BACKUP_DIR, not to --output');
  }
  const config = loadConfig();

  await (daily ? backUpDaily(config) : backUpOnce(config, flags));
}

/** `backup` */
export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('back up the whole database into BACKUP_DIR, verify it, and delete the oldest')
    .option('--output <file>', 'write this file instead, and delete nothing')
    .option('--keep <number>', 'keep this many; default BACKUP_KEEP', readCount)
    .option('--daily', 'run until stopped: one backup a day, at BACKUP_AT')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nA backup contains everything that visitors wrote: store it where nobody else can read it, and on' +
        '\nanother machine too. It contains the current erasure log; copy ERASURES_DIR all the same, since a' +
        '\nrestore needs the newest one. It does not contain the settings.' +
        '\n\nExamples:\n  ops backup\n  ops backup --output before-upgrade.dump',
    )
    .action(backUp);
}
