import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readToolMajor } from '../postgres/postgres-tools.ts';
import { fetchIntoBackups, mergeStoredErasureLogs } from '../repository/fetch-backup.ts';
import { requireRepository, requireSnapshots } from '../repository/repository.ts';
import type { Restic } from '../repository/restic.ts';
import type { Snapshot } from '../repository/snapshots.ts';
import { readBackup, restoreBackup } from '../restore/restore-backup.ts';
import { OpsError, withSession, type CommandContext, type Session } from '../cli/session.ts';
import { formatTime } from '../cli/terminal.ts';
import { printRowCounts } from './backup.ts';

interface RestoreFlags {
  readonly repository?: true | undefined;
  readonly check?: true | undefined;
}

/** Checks a backup without a connection to PostgreSQL, which may be broken. */
async function checkFile({ config, terminal }: Session, file: string): Promise<void> {
  const { programEnvironment } = config;
  const major = await readToolMajor(programEnvironment, 'pg_restore');
  const { createdAt } = await readBackup(programEnvironment, file, major);
  terminal.print(`${file} is intact, and this version can restore it. It was made on ${formatTime(createdAt)} UTC. The database was not changed.`);
}

/** Adds the repository's erasure logs to ERASURES_DIR. They are newer than the backup's. @throws OpsError for a damaged one */
async function fetchErasureLog(
  { config, terminal }: Session,
  { restic, snapshots }: Pick<Fetched, 'restic' | 'snapshots'>,
): Promise<void> {
  const newest = await mergeStoredErasureLogs(restic, config, snapshots);
  if (!newest) return terminal.print('The repository has no erasure log of this site.');
  if (newest.damagedLines > 0) {
    throw new OpsError(
      `The newest copy of the erasure log in the repository is damaged: ${newest.damagedLines} of its lines can't be read.`,
    );
  }
  terminal.print(`The erasure log of ${formatTime(newest.time)} UTC is in ${config.privacy.erasuresDirectory}.`);
}

function printNextSteps({ config, terminal }: Session): void {
  terminal.print(
    [
      'Nothing is sent until you release the deliveries. Those sent after the backup was made would be sent again.',
      '',
      'Next: 1. Run the migrations (npm run migrate, in the stack: docker compose run --rm migrate).',
      '      2. Start the site.',
      '      3. `ops deliveries release` shows what would be sent, and releases it with --yes. It refuses',
      `         while the newest erasure log is not in ${config.privacy.erasuresDirectory}.`,
    ].join('\n'),
  );
}

interface Fetched {
  readonly path: string;
  readonly restic: Restic;
  readonly snapshots: readonly Snapshot[];
}

async function fetchStored({ config }: Session, name: string | undefined, signal: AbortSignal): Promise<Fetched> {
  const restic = requireRepository(config);
  const snapshots = await requireSnapshots(restic, signal);

  return { path: await fetchIntoBackups(restic, config, snapshots, { name, signal }), restic, snapshots };
}

async function restore(
  session: Session,
  file: string | undefined,
  { repository, check }: RestoreFlags,
): Promise<void> {
  const { terminal } = session;
  // A check leaves nothing behind, so a signal may end it immediately.
  if (check && !repository) return checkFile(session, resolve(file ?? ''));
  const signal = session.listenForStop();
  const fetched = repository ? await fetchStored(session, file, signal) : undefined;
  const path = fetched?.path ?? resolve(file ?? '');
  if (check) return checkFile(session, path);
  const { backupAt, rows } = await restoreBackup(session, path, signal);
  session.logger.warn({ backupAt, rows }, 'A backup was restored. Deliveries are on hold.');
  printRowCounts(terminal, rows);
  terminal.print(`The backup of ${formatTime(backupAt)} UTC was restored. It does not contain later data.`);
  if (fetched) await fetchErasureLog(session, fetched);
  printNextSteps(session);
}

/** Adds the command `restore`. */
export function addRestore(program: Command, context: CommandContext): void {
  program
    .command('restore')
    .description('restore a backup into an empty database; deliveries are held until they are released')
    .argument('[file]', 'a file made by `ops backup`, with its .sha256 beside it; with --repository the name of a backup there')
    .option('--repository', 'fetch the backup (by default the newest) and the newest erasure log from BACKUP_REPOSITORY')
    .option('--check', 'only check that the file is intact and can be restored')
    .action((file: string | undefined, flags: RestoreFlags, command: Command) => {
      if (file === undefined && !flags.repository) command.error('error: name a file, or use --repository');

      return withSession(context, (session) => restore(session, file, flags))();
    });
}
