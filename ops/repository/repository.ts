import { basename, join, resolve } from 'node:path';
import * as v from 'valibot';
import type { Config } from '../../shared/node/config/config.ts';
import { OpsError } from '../cli/session.ts';
import { ResticError, runRestic, type Restic } from './restic.ts';
import { snapshotKinds, type Snapshot, type SnapshotKind } from './snapshots.ts';

export type RepositorySettings = Pick<Config, 'backup' | 'programEnvironment' | 'site'>;

/** Returns the configured repository; undefined without BACKUP_REPOSITORY. */
export function findRepository({ backup, programEnvironment, site }: RepositorySettings): Restic | undefined {
  const { repository } = backup;

  return (
    repository && {
      repository,
      programEnvironment,
      cacheDirectory: join(resolve(backup.directory), '.restic'),
      host: new URL(site.publicUrl).hostname,
    }
  );
}

/** Returns the configured repository. @throws OpsError without BACKUP_REPOSITORY */
export function requireRepository(settings: RepositorySettings): Restic {
  const restic = findRepository(settings);
  if (!restic) throw new OpsError('BACKUP_REPOSITORY is not set.');

  return restic;
}

const listSchema = v.array(
  v.object({
    id: v.string(),
    time: v.pipe(v.string(), v.transform((time) => new Date(time))),
    tags: v.optional(v.nullable(v.array(v.string())), null),
    paths: v.array(v.string()),
  }),
);

const COMPLETE = 'complete';

/** Returns the site's snapshots. Those of other hosts in the same repository are not listed, and so never removed. */
export async function listSnapshots(restic: Restic, signal?: AbortSignal): Promise<readonly Snapshot[]> {
  const output = await runRestic(restic, ['snapshots', '--json', '--no-lock', '--host', restic.host], { signal });

  return v.parse(listSchema, JSON.parse(output)).flatMap(({ id, time, tags, paths }) => {
    const kind = snapshotKinds.find((name) => tags?.includes(name));
    const names = paths.map((path) => basename(path));

    return kind ? [{ id, kind, time, names, isComplete: tags?.includes(COMPLETE) ?? false }] : [];
  });
}

/** Returns the site's snapshots. @throws OpsError if there are none */
export async function requireSnapshots(restic: Restic, signal: AbortSignal): Promise<readonly Snapshot[]> {
  const snapshots = await listSnapshots(restic, signal);
  if (snapshots.length > 0) return snapshots;
  throw new OpsError(`BACKUP_REPOSITORY has no backup of ${restic.host}, the host of PUBLIC_URL.`);
}

/**
 * Returns the snapshots, and creates the repository if there is none. The caller must hold the copy lock, because
 * restic leaves an unreadable repository if two processes create it simultaneously.
 */
export async function listSnapshotsOrCreate(restic: Restic, signal: AbortSignal): Promise<readonly Snapshot[]> {
  try {
    return await listSnapshots(restic, signal);
  } catch (error) {
    if (!(error instanceof ResticError) || /wrong password/.test(error.message)) throw error;
    await runRestic(restic, ['init'], { signal });

    return [];
  }
}

interface Contents {
  readonly kind: SnapshotKind;
  readonly folder: string;
  readonly names: readonly string[];
}

const summarySchema = v.object({ message_type: v.literal('summary'), snapshot_id: v.string() });

/** Stores files from a folder in the repository. */
export async function storeSnapshot(restic: Restic, { kind, folder, names }: Contents, signal: AbortSignal): Promise<void> {
  const args = ['backup', '--json', '--quiet', '--host', restic.host, '--tag', kind, '--', ...names];
  const output = await runRestic(restic, args, { cwd: folder, signal });
  const summary = output.split('\n').findLast((line) => line.includes('"summary"'));
  const { snapshot_id: id } = v.parse(summarySchema, JSON.parse(summary ?? '{}'));
  // If restic can't read a file, it fails but still stores a snapshot.
  await runRestic(restic, ['tag', '--add', COMPLETE, id], { signal });
}

/** Writes a snapshot's files to a folder. */
export async function fetchFiles(restic: Restic, { id }: Snapshot, folder: string, signal?: AbortSignal): Promise<void> {
  await runRestic(restic, ['restore', '--no-lock', '--target', folder, id], { signal });
}

/** Removes snapshots and the data that no other snapshot uses. */
export async function forgetSnapshots(restic: Restic, snapshots: readonly Snapshot[], signal: AbortSignal): Promise<void> {
  if (snapshots.length === 0) return;
  await runRestic(restic, ['forget', '--prune', ...snapshots.map(({ id }) => id)], { signal });
}

/** Checks that the repository contains all the data listed in its index. Doesn't read the data. */
export async function checkRepository(restic: Restic, signal: AbortSignal): Promise<void> {
  await runRestic(restic, ['check'], { signal });
}
