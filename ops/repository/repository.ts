import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import * as v from 'valibot';
import type { Config } from '../../shared/node/config/config.ts';
import { OpsError } from '../cli/session.ts';
import { ResticError, runRestic, type Restic } from './restic.ts';
import { snapshotKinds, type Snapshot, type SnapshotKind, type SnapshotsBySite } from './snapshots.ts';

/** The host under which all sites store snapshots: containers have another name each time. */
const HOST = 'website';

type Settings = Pick<Config, 'backup' | 'programEnvironment'>;

/** The repository of the settings; undefined without BACKUP_REPOSITORY. */
export function findRepository({ backup, programEnvironment }: Settings): Restic | undefined {
  const { repository } = backup;

  return repository && { repository, programEnvironment, cacheDirectory: join(resolve(backup.directory), '.restic') };
}

/** @throws OpsError without BACKUP_REPOSITORY */
export function requireRepository(settings: Settings): Restic {
  const restic = findRepository(settings);
  if (!restic) throw new OpsError('BACKUP_REPOSITORY is not set.');

  return restic;
}

const ensured = new Map<string, Promise<void>>();

/** Creates the repository unless there is one, once a process: of two at a time restic leaves one nobody can read. */
export async function ensureRepository(restic: Restic, signal?: AbortSignal): Promise<void> {
  const { location } = restic.repository;
  const known = ensured.get(location) ?? findOrMakeRepository(restic, signal);
  ensured.set(location, known);

  try {
    await known;
  } catch (error) {
    ensured.delete(location);
    throw error;
  }
}

async function findOrMakeRepository(restic: Restic, signal: AbortSignal | undefined): Promise<void> {
  try {
    await runRestic(restic, ['cat', 'config', '--no-lock'], { signal });
  } catch (error) {
    if (!(error instanceof ResticError) || /wrong password/.test(error.message)) throw error;
    await runRestic(restic, ['init'], { signal });
  }
}

const listSchema = v.array(
  v.object({
    id: v.string(),
    time: v.pipe(v.string(), v.transform((time) => new Date(time))),
    tags: v.optional(v.nullable(v.array(v.string())), null),
    paths: v.array(v.string()),
  }),
);

const isKind = v.picklist(snapshotKinds);

/** The snapshots of each site in the repository, by its name. */
export async function listSnapshotsBySite(restic: Restic, signal?: AbortSignal): Promise<SnapshotsBySite> {
  const output = await runRestic(restic, ['snapshots', '--json', '--no-lock', '--host', HOST], { signal });
  const bySite = new Map<string, Snapshot[]>();
  for (const { id, time, tags, paths } of v.parse(listSchema, JSON.parse(output))) {
    const kind = (tags ?? []).find((tag) => v.is(isKind, tag));
    const { site, ...labels } = Object.fromEntries((tags ?? []).map((tag) => tag.split('=') as [string, string]));
    if (kind === undefined || site === undefined) continue;
    const snapshot = { id, kind, time, labels, names: paths.map((path) => basename(path)) };
    bySite.set(site, [...(bySite.get(site) ?? []), snapshot]);
  }

  return bySite;
}

/** The snapshots of one site; none before its first copy, when it has no name yet. */
export const listSnapshots = async (
  restic: Restic,
  site: string | undefined,
  signal?: AbortSignal,
): Promise<readonly Snapshot[]> => (await listSnapshotsBySite(restic, signal)).get(site ?? '') ?? [];

interface Contents {
  readonly site: string;
  readonly kind: SnapshotKind;
  readonly folder: string;
  readonly names: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
}

const makeSiteTag = (site: string) => `site=${site}`;

const makeTags = ({ site, kind, labels = {} }: Contents) =>
  [kind, makeSiteTag(site), ...Object.entries(labels).map(([name, value]) => `${name}=${value}`)].flatMap((tag) => ['--tag', tag]);

const summarySchema = v.object({ message_type: v.literal('summary'), snapshot_id: v.string() });

/** Stores files in the repository; returns the snapshot's id. */
export async function storeSnapshot(
  restic: Restic,
  contents: Contents,
  signal?: AbortSignal,
): Promise<string> {
  const { folder, names } = contents;
  const output = await runRestic(
    restic,
    ['backup', '--json', '--quiet', '--host', HOST, ...makeTags(contents), '--', ...names],
    { cwd: folder, signal },
  );

  return readSnapshotId(output);
}

function readSnapshotId(output: string): string {
  const lines = output.split('\n').filter((line) => line.includes('"summary"'));

  return v.parse(summarySchema, JSON.parse(lines.at(-1) ?? '{}')).snapshot_id;
}

/** Labels a snapshot with its end, which is now: its own time is when it began. It gets another id. */
export async function labelEnd(restic: Restic, id: string, signal?: AbortSignal): Promise<void> {
  await runRestic(restic, ['tag', '--add', `end=${new Date().toISOString()}`, id], { signal });
}

/** Gives all snapshots of a site to another one. They get other ids. */
export async function handOverSnapshots(restic: Restic, from: string, to: string, signal: AbortSignal): Promise<void> {
  await runRestic(restic, ['tag', '--add', makeSiteTag(to), '--remove', makeSiteTag(from), '--tag', makeSiteTag(from)], { signal });
}

/** Writes a file of a snapshot to `path`, complete or not at all. */
export async function fetchFile(
  restic: Restic,
  { id }: Snapshot,
  name: string,
  path: string,
  signal?: AbortSignal,
): Promise<void> {
  const output = createWriteStream(path, { mode: 0o600, flush: true });

  try {
    await runRestic(restic, ['dump', '--no-lock', id, name], { output, signal });
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** Removes snapshots, and from the repository what no other one has. */
export async function forgetSnapshots(
  restic: Restic,
  snapshots: readonly Snapshot[],
  signal?: AbortSignal,
): Promise<void> {
  if (snapshots.length === 0) return;
  await runRestic(restic, ['forget', '--prune', ...snapshots.map(({ id }) => id)], { signal });
}

/** Checks that the repository is complete, by its own lists. */
export async function checkRepository(restic: Restic, signal: AbortSignal): Promise<void> {
  await runRestic(restic, ['check'], { signal });
}
