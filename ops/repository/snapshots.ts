/**
 * What is stored in the repository, the first of a snapshot's tags: `dump`, a backup; `erasures`, the
 * erasure log; `base`, a copy of the server's files; `wal`, its write-ahead log since such a copy.
 */
export const snapshotKinds = ['dump', 'erasures', 'base', 'wal'] as const;
export type SnapshotKind = (typeof snapshotKinds)[number];

/** A snapshot of the repository. */
export interface Snapshot {
  readonly id: string;
  readonly kind: SnapshotKind;
  readonly time: Date;
  /** Its other tags, `name=value`. */
  readonly labels: Readonly<Record<string, string>>;
  /** Names of the files and folders in it. */
  readonly names: readonly string[];
}

/** A moment of the archive can be restored for as long as the copies before it last: a week, two at most. */
export const KEPT_BASES = 2;

/** Those of a kind, the newest first. */
export const selectKind = (snapshots: readonly Snapshot[], kind: SnapshotKind): readonly Snapshot[] =>
  snapshots
    .filter((snapshot) => snapshot.kind === kind)
    .toSorted((one, other) => other.time.getTime() - one.time.getTime());

/** States of an erasure log: more than one, in case a disk damages the file. */
const KEPT_LOGS = 3;

/** All but the newest `keep` of each group. */
function listOlder(
  newestFirst: readonly Snapshot[],
  keep: number,
  getGroup: (snapshot: Snapshot) => string,
): readonly Snapshot[] {
  const counts = new Map<string, number>();

  return newestFirst.filter((snapshot) => {
    const group = getGroup(snapshot);
    const count = (counts.get(group) ?? 0) + 1;
    counts.set(group, count);

    return count > keep;
  });
}

/**
 * The snapshots that are no longer needed: backups beyond the newest `keep`, erasure logs of which there are
 * newer states, and of the archive what lies before its kept copies or is part of a later snapshot.
 */
export function selectOutdated(snapshots: readonly Snapshot[], keep: number): readonly Snapshot[] {
  const bases = selectKind(snapshots, 'base');
  const oldestBase = bases.slice(0, KEPT_BASES).at(-1);
  const wal = selectKind(snapshots, 'wal');
  const superseded = new Set(listOlder(wal, 1, ({ labels }) => `${labels['system']} ${labels['first']}`));

  return [
    ...selectKind(snapshots, 'dump').slice(keep),
    // Of each log: a site that was started anew begins another one.
    ...listOlder(selectKind(snapshots, 'erasures'), KEPT_LOGS, ({ labels }) => labels['log'] ?? ''),
    ...bases.slice(KEPT_BASES),
    ...wal.filter(
      (snapshot) => superseded.has(snapshot) || (oldestBase !== undefined && snapshot.time < oldestBase.time),
    ),
  ];
}
