import type { Config } from '../../shared/node/config/config.ts';
import { ensureSiteName, readSiteName } from '../../shared/node/files/backup-records.ts';
import { OpsError } from '../cli/session.ts';
import { formatTime } from '../cli/terminal.ts';
import { handOverSnapshots, listSnapshotsBySite } from './repository.ts';
import type { Restic } from './restic.ts';
import { selectDumps, type Snapshot, type SnapshotsBySite } from './snapshots.ts';

/** A sentence that names the other sites with backups in the repository; undefined if there are none. */
export function describeOtherSites(bySite: SnapshotsBySite, own: string | undefined): string | undefined {
  const others = [...bySite]
    .filter(([site]) => site !== own)
    .flatMap(([site, snapshots]) => {
      const [newest, ...older] = selectDumps(snapshots);

      return newest ? [`${site} (${older.length + 1}, the newest of ${formatTime(newest.time)} UTC)`] : [];
    });

  return others.length === 0 ? undefined : `Other sites have backups in BACKUP_REPOSITORY: ${others.join(', ')}.`;
}

interface SiteBackups {
  readonly snapshots: readonly Snapshot[];
  /** A sentence that names the other sites with backups there. */
  readonly others: string | undefined;
}

/** The snapshots of a site, this one unless `named`; throws OpsError listing the others if it has none. */
export async function selectSite(
  restic: Restic,
  { backup }: Pick<Config, 'backup'>,
  { named, signal }: { readonly named?: string | undefined; readonly signal: AbortSignal },
): Promise<SiteBackups> {
  const bySite = await listSnapshotsBySite(restic, signal);
  const own = await readSiteName(backup.directory);
  const others = describeOtherSites(bySite, own);
  const snapshots = bySite.get(named ?? own ?? '');
  if (!snapshots) {
    const problem = `BACKUP_REPOSITORY has no backup of ${named ?? 'this site'}.`;
    throw new OpsError(others === undefined ? problem : `${problem} ${others}`);
  }

  return { snapshots, others };
}

/** Gives this site the backups of one that it replaces, so that they are removed in their turn. */
export async function takeOverSite(
  restic: Restic,
  { backup, site }: Pick<Config, 'backup' | 'site'>,
  named: string,
  signal: AbortSignal,
): Promise<void> {
  await selectSite(restic, { backup }, { named, signal });
  await handOverSnapshots(restic, named, await ensureSiteName(backup.directory, site.publicUrl), signal);
}
