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
import { printError, say, printTable, toJson } from '../cli/terminal.ts';

interface BackupFlags {
  readonly output?: string;
  readonly keep?: number;
  readonly daily?: true;
  readonly json?: true;
}

/** Shorter than the time after which a container is killed. */
const SHUTDOWN = 25 * Second;

/** Prints how many rows each table has. */
export function printRowCounts(rows: RowCounts): void {
  printTable(['table', 'rows'], Object.entries(rows));
}

async function backUpOnce(
  config: Config,
  { output, keep = config.backup.keep, json }: BackupFlags,
): Promise<void> {
  if (output !== undefined && existsSync(output)) {
    throw new OpsError(`${output} is there already: give the backup another name.`);
  }
  const settings = { ...config, backup: { ...config.backup, keep } };
  const made = await makeBackup(settings, output === undefined ? {} : { output });
  if (!made) throw new OpsError('Another backup is being made right now.');
  const { path, createdAt, bytes, sha256, rows, removed, erasuresFault } = made;
  if (erasuresFault !== undefined) printError(erasuresFault);
  if (json) {
    return say(
      toJson({ file: path, created_at: createdAt, bytes, sha256, rows, removed }, 2),
    );
  }

  printRowCounts(rows);
  say(`${path}: ${(bytes / 1024 ** 2).toFixed(1)} MB, verified.`);
  for (const old of removed) say(`${old} is deleted, ${keep} are kept.`);
}

/** Resolves never: a signal ends the process. */
function backUpDaily(config: Config): Promise<never> {
  const logger = createLogger({ level: config.logLevel, process: 'backup' });
  const database = createDatabase(config.databaseUrl, 'backup');
  const alerts = startAlerts(config, { database, logger, timings: productionTimings });
  const stop = startDailyBackups(config, logger);
  const onClose = [stop, alerts.stop, () => database.destroy()];
  closeGracefully({ logger, deadlineMs: SHUTDOWN, onClose });
  logger.info({ folder: config.backup.directory }, 'Daily backups are on.');

  return new Promise(() => undefined);
}

async function backUp(flags: BackupFlags, command: Command): Promise<void> {
  const { daily, output, keep, json } = flags;
  if (daily && (output !== undefined || keep !== undefined || json)) {
    command.error('error: --daily goes with no other option; BACKUP_DIR, BACKUP_KEEP and BACKUP_AT say how');
  }
  if (output !== undefined && keep !== undefined) {
    command.error('error: --keep is about BACKUP_DIR, not about --output');
  }
  const config = loadConfig();

  await (daily ? backUpDaily(config) : backUpOnce(config, flags));
}

/** `backup` */
export function addBackup(program: Command): void {
  program
    .command('backup')
    .description('back up the whole database into BACKUP_DIR, verify it, and delete the oldest')
    .option('--output <file>', 'write this file instead, and delete none')
    .option('--keep <number>', 'keep so many; BACKUP_KEEP without it', readCount)
    .option('--daily', 'go on for ever: a backup a day, at BACKUP_AT')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nIt holds everything that visitors wrote: keep it where nobody else can read it, and on another' +
        '\nmachine too. It has a copy of the list of erasures as it is now; copy ERASURES_DIR all the same,' +
        '\nfor a restore needs the newest one. The settings are not in it.' +
        '\n\nExamples:\n  ops backup\n  ops backup --output before-upgrade.dump',
    )
    .action(backUp);
}
