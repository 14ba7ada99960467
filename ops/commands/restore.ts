import { resolve } from 'node:path';
import type { Command } from 'commander';
import { readToolMajor } from '../postgres/postgres-tools.ts';
import { fetchIntoBackups, mergeStoredErasureLogs } from '../repository/fetch-backup.ts';
import { requireRepository } from '../repository/repository.ts';
import type { Restic } from '../repository/restic.ts';
import { selectSite } from '../repository/sites.ts';
import type { Snapshot } from '../repository/snapshots.ts';
import { readBackup, restoreBackup } from '../restore/restore-backup.ts';
import { OpsError, withSession, type CommandContext, type Session } from '../cli/session.ts';
import { formatTime } from '../cli/terminal.ts';
import { printRowCounts } from './backup.ts';

interface RestoreFlags {
  readonly repository?: true | undefined;
  readonly site?: string | undefined;
  readonly check?: true | undefined;
}

/** Without a connection to PostgreSQL: the database may be what is broken. */
async function checkFile({ config, terminal }: Session, file: string): Promise<void> {
  const { programEnvironment } = config;
  const major = await readToolMajor(programEnvironment, 'pg_restore');
  const { createdAt } = await readBackup(programEnvironment, file, major);
  terminal.print(`${file} is whole: a backup of ${formatTime(createdAt)} UTC, which this version can restore. The database was not changed.`);
}

/** Fetches the newest erasure log, which the backup can't have. */
async function printErasureLog(
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

function printNextSteps({ config, terminal }: Session, site: string | undefined): void {
  terminal.print(
    [
      'Nothing is sent until you release it. What the site sent after the backup was made would be sent again.',
      '',
      'Next: 1. run the migrations (npm run migrate, in the stack: docker compose run --rm migrate)',
      '      2. start the site',
      '      3. `ops deliveries release` shows what would be sent, and with --yes releases it; it refuses',
      `         while the newest erasure log is not in ${config.privacy.erasuresDirectory}`,
      ...(site === undefined
        ? []
        : [`      4. if this machine replaces the one of ${site}: \`ops backup --take-over ${site}\` removes its backups in their turn`]),
    ].join('\n'),
  );
}

interface Fetched {
  readonly path: string;
  readonly restic: Restic;
  /** Those of the site that made the backup. */
  readonly snapshots: readonly Snapshot[];
}

async function fetchStored(
  { config, terminal }: Session,
  { file, site, signal }: { readonly file: string | undefined; readonly site: string | undefined; readonly signal: AbortSignal },
): Promise<Fetched> {
  const restic = requireRepository(config);
  const { snapshots, others } = await selectSite(restic, config, { named: site, signal });
  if (site === undefined && others !== undefined) terminal.print(others);

  return { path: await fetchIntoBackups(restic, config, snapshots, { name: file, signal }), restic, snapshots };
}

async function restore(
  session: Session,
  file: string | undefined,
  { repository, site, check }: RestoreFlags,
): Promise<void> {
  const { terminal } = session;
  // A check leaves nothing behind: a signal ends it at once.
  if (check && !repository) return checkFile(session, resolve(file ?? ''));
  const signal = session.listenForStop();
  const fetched = repository ? await fetchStored(session, { file, site, signal }) : undefined;
  const path = fetched?.path ?? resolve(file ?? '');
  if (check) return checkFile(session, path);
  const { backupAt, rows } = await restoreBackup(session, path, signal);
  session.logger.warn({ backupAt, rows }, 'A backup is restored; deliveries are held.');
  printRowCounts(terminal, rows);
  terminal.print(`The backup of ${formatTime(backupAt)} UTC is restored. Later data is not in it.`);
  if (fetched) await printErasureLog(session, fetched);
  printNextSteps(session, site);
}

/** `restore` */
export function addRestore(program: Command, context: CommandContext): void {
  program
    .command('restore')
    .description('restore a backup into an empty database; deliveries are held until they are released')
    .argument('[file]', 'a file made by `ops backup`, with its .sha256 beside it; with --repository the name of one there')
    .option('--repository', 'fetch it from BACKUP_REPOSITORY, the newest unless named, and the newest erasure log')
    .option('--site <name>', 'with --repository: take the backups of another site, named in what `ops doctor` prints')
    .option('--check', 'only check that the file is whole and can be restored')
    .action((file: string | undefined, flags: RestoreFlags, command: Command) => {
      if (file === undefined && !flags.repository) command.error('error: name a file, or use --repository');
      if (flags.site !== undefined && !flags.repository) command.error('error: --site needs --repository');

      return withSession(context, (session) => restore(session, file, flags))();
    });
}
