import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readErasureLogId } from '../../shared/node/erasure/erasure-store.ts';
import { readToolMajor } from '../postgres/postgres-tools.ts';
import { fetchErasureLog, fetchIntoBackups } from '../repository/fetch-backup.ts';
import { findMoment, restoreArchive } from '../archive/restore-archive.ts';
import { findRepository, listSnapshots, requireRepository } from '../repository/repository.ts';
import type { Restic } from '../repository/restic.ts';
import { getArchiveEnd, selectKind, type Snapshot } from '../repository/snapshots.ts';
import { holdRecovered } from '../restore/hold-recovered.ts';
import { readBackup } from '../restore/read-backup.ts';
import { restoreBackup } from '../restore/restore-backup.ts';
import { readMoment } from '../cli/arguments.ts';
import { withSession, type CommandContext, type Session } from '../cli/session.ts';
import { formatTime, type Terminal } from '../cli/terminal.ts';
import { printRowCounts } from './backup.ts';

interface RestoreFlags {
  readonly repository?: true | undefined;
  readonly check?: true | undefined;
  readonly at?: { readonly at: Date | undefined };
  readonly into?: string;
  readonly recovered?: true;
}

/** Without a connection to PostgreSQL: the database may be what is broken. */
async function checkFile({ config, terminal }: Session, file: string): Promise<void> {
  const { programEnvironment } = config;
  const major = await readToolMajor(programEnvironment, 'pg_restore');
  const { createdAt } = await readBackup(programEnvironment, file, major);
  terminal.print(`${file} is whole: a backup of ${formatTime(createdAt)} UTC, which this version can restore. The database was not changed.`);
}

/** Brings the newest erasure log, which the backup can't have. */
async function bringErasureLog({ config, database, terminal }: Session, restic: Restic): Promise<void> {
  const logId = await readErasureLogId(database);
  const copiedAt = logId === undefined ? undefined : await fetchErasureLog(restic, config, logId);
  terminal.print(
    copiedAt === undefined
      ? 'The repository has no erasure log of this database.'
      : `The erasure log of ${formatTime(copiedAt)} UTC is in ${config.privacy.erasuresDirectory}.`,
  );
}

function printNextSteps({ config, terminal }: Session): void {
  terminal.print(
    [
      'Nothing is sent until you release it. What the site sent after the backup was made would be sent again.',
      '',
      'Next: 1. run the migrations (npm run migrate, in the stack: docker compose run --rm migrate)',
      '      2. start the site',
      '      3. `ops deliveries release` shows what would be sent, and with --yes releases it; it refuses',
      `         while the newest erasure log is not in ${config.privacy.erasuresDirectory}`,
    ].join('\n'),
  );
}

/** Before anything is restored: a backup is a day old, where the archive has all but seconds. */
function mentionArchive(terminal: Terminal, snapshots: readonly Snapshot[]): void {
  const end = getArchiveEnd(snapshots);
  const [newest] = selectKind(snapshots, 'dump');
  if (!end || !newest || newest.time > end) return;
  terminal.print(
    `The archive has later data than the newest backup, up to about ${formatTime(end)} UTC: \`ops restore --at latest --into FOLDER\` restores that (in the stack see docs/operations/restore.md, A moment).`,
  );
}

/** Fetches a backup from the repository. @returns its path */
async function fetchStored(
  { config, terminal }: Session,
  restic: Restic,
  name: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const snapshots = await listSnapshots(restic, signal);
  mentionArchive(terminal, snapshots);

  return fetchIntoBackups(restic, config, snapshots, { name, signal });
}

async function restore(
  session: Session,
  file: string | undefined,
  { repository, check }: Pick<RestoreFlags, 'repository' | 'check'>,
): Promise<void> {
  const { config, terminal } = session;
  // A check leaves nothing behind: a signal ends it at once.
  if (check && !repository) return checkFile(session, resolve(file ?? ''));
  const restic = repository ? requireRepository(config) : undefined;
  const signal = session.listenForStop();
  const path = restic ? await fetchStored(session, restic, file, signal) : resolve(file ?? '');
  if (check) return checkFile(session, path);
  const { backupAt, rows } = await restoreBackup(session, path, signal);
  session.logger.warn({ backupAt, rows }, 'A backup is restored; deliveries are held.');
  printRowCounts(terminal, rows);
  terminal.print(`The backup of ${formatTime(backupAt)} UTC is restored. Later data is not in it.`);
  if (restic) await bringErasureLog(session, restic);
  printNextSteps(session);
}

/** Whether the archive reaches to a moment, before anything is deleted for it: none of its files is read. */
async function checkMoment({ config, terminal }: Session, at: Date | undefined): Promise<void> {
  const { baseAt, storedAt } = findMoment(await listSnapshots(requireRepository(config)), at);
  const isBeforeEnd = at !== undefined && at <= storedAt;
  terminal.print(
    `${isBeforeEnd ? 'The archive has that moment' : 'The archive would be restored to its end'}: a copy of the server's files of ${formatTime(baseAt)} UTC, and what came since, stored until ${formatTime(storedAt)} UTC.`,
  );
}

/** Restores the server's files; the database is there once PostgreSQL has recovered on them. */
async function restoreMoment({ config, logger, terminal }: Session, into: string, at: Date | undefined): Promise<void> {
  // Not in BACKUP_DIR: who restores files of a server is another user, whose files the backups couldn't replace.
  const restic = requireRepository(config, into);
  const { baseAt, lastCommitAt, isBeforeEnd } = await restoreArchive(restic, resolve(into), at);
  logger.warn({ at: at ?? 'latest', baseAt, lastCommitAt }, 'The files of a server are restored from the archive.');
  terminal.print(
    [
      `The files of a server are in ${into}: a copy of ${formatTime(baseAt)} UTC, and what came since.`,
      isBeforeEnd
        ? `PostgreSQL recovers them to ${at?.toISOString()} when it starts. Later transactions are left out.`
        : `PostgreSQL recovers them to the end of the archive when it starts: its last transaction is of ${lastCommitAt?.toISOString() ?? 'the time of the copy'}. Later ones are not in it.`,
      '',
      'Next: 1. start PostgreSQL alone (in the stack: docker compose up -d postgres)',
      '      2. `ops restore --recovered` waits for it, and holds all deliveries: before anything else is started',
    ].join('\n'),
  );
}

/** What follows a recovery: the hold, which the restored files don't have, and the newest erasure log. */
async function finishRecovery(session: Session): Promise<void> {
  const { database, logger, terminal } = session;
  const { recoveredTo, newestRequestAt } = await holdRecovered(database, (state) =>
    terminal.printError(`${state}: waiting, an hour at most.`),
  );
  logger.warn({ recoveredTo }, 'A moment is restored; deliveries are held.');
  terminal.print(
    recoveredTo
      ? `PostgreSQL has recovered to ${recoveredTo.toISOString()}. Later data is not in it.`
      : 'PostgreSQL does not say to which moment it has recovered: it was started again since, or nothing was stored between the copy and the moment.',
  );
  terminal.print(
    newestRequestAt
      ? `The newest request was received at ${newestRequestAt.toISOString()}: look for later ones in the mailboxes of sales.`
      : 'There is no request in it.',
  );
  const restic = findRepository(session.config);
  if (restic) await bringErasureLog(session, restic);
  printNextSteps(session);
}

type RestoreMode = (session: Session) => Promise<void>;

/** Which of the ways to restore the options ask for; undefined: that can't be told. */
function findMode(file: string | undefined, { repository, check, at, into, recovered }: RestoreFlags): RestoreMode | undefined {
  const ways = [file !== undefined || repository === true, at !== undefined, recovered === true];
  // A check of a moment needs no folder.
  const wantsFolder = at !== undefined && check !== true;
  if (ways.filter(Boolean).length !== 1 || wantsFolder !== (into !== undefined)) return undefined;
  if (check && recovered) return undefined;
  if (at && check) return (session) => checkMoment(session, at.at);
  if (recovered) return finishRecovery;
  if (at && into !== undefined) return (session) => restoreMoment(session, into, at.at);

  return (session) => restore(session, file, { repository, check });
}

/** `restore` */
export function addRestore(program: Command, context: CommandContext): void {
  program
    .command('restore')
    .description('restore a backup into an empty database; deliveries are held until they are released')
    .argument('[file]', 'a file made by `ops backup`, with its .sha256 beside it; with --repository the name of one there')
    .option('--repository', 'fetch it from BACKUP_REPOSITORY, the newest unless named, and the newest erasure log')
    .option('--check', 'only check that the file is whole and can be restored, or with --at that the archive has the moment')
    .option('--at <time>', 'restore a moment from the archive, like 2026-11-22T14:05Z, or latest: the files of a server, into --into', readMoment)
    .option('--into <folder>', 'the empty data folder of a PostgreSQL that does not run')
    .option('--recovered', 'after --at and the start of PostgreSQL: hold deliveries, and fetch the newest erasure log')
    .addHelpText(
      'after',
      '\nExamples:\n  ops restore .data/backups/site-20261121T030000000Z.dump\n  ops restore --repository' +
        '\n  ops restore --at 2026-11-22T14:05Z --into /var/lib/postgresql/data\n  ops restore --recovered',
    )
    .action((file: string | undefined, flags: RestoreFlags, command: Command) => {
      const mode = findMode(file, flags);
      if (!mode) command.error('error: name a file, or use one of --repository, --at with --into or --check, --recovered');
      else return withSession(context, mode)();

      return undefined;
    });
}
