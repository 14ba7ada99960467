import { sortNewestFirst } from '../../shared/time.ts';

/** Kinds of snapshots, stored as tags: `dump` contains a backup, `erasures` the erasure log. */
export const snapshotKinds = ['dump', 'erasures'] as const;
export type SnapshotKind = (typeof snapshotKinds)[number];

export interface Snapshot {
  readonly id: string;
  readonly kind: SnapshotKind;
  readonly time: Date;
  /** False for a dump whose copy failed. Then restic stores only the files that it could read. */
  readonly isComplete: boolean;
  readonly names: readonly string[];
}

/** Returns the snapshots of a kind, newest first. */
export const selectKind = (snapshots: readonly Snapshot[], kind: SnapshotKind, now = new Date()): readonly Snapshot[] =>
  sortNewestFirst(
    snapshots.filter((snapshot) => snapshot.kind === kind),
    ({ time }) => time,
    now,
  );

/** Number of erasure logs to keep. More than one, in case a disk error damages a file. */
const KEPT_LOGS = 3;

/** Returns the complete backups, newest first. */
export const selectDumps = (snapshots: readonly Snapshot[], now = new Date()): readonly Snapshot[] =>
  selectKind(snapshots, 'dump', now).filter(({ isComplete }) => isComplete);

/**
 * Returns outdated snapshots: backups beyond the newest `keep`, incomplete backups older than the newest complete one, and
 * old erasure logs.
 */
export function selectOutdated(snapshots: readonly Snapshot[], keep: number, now: Date): readonly Snapshot[] {
  const complete = selectDumps(snapshots, now);
  const [newest] = complete;
  const isOutdatedPart = ({ isComplete, time }: Snapshot) => !isComplete && newest !== undefined && time < newest.time;

  return [
    ...complete.slice(keep),
    ...selectKind(snapshots, 'dump', now).filter(isOutdatedPart),
    ...selectKind(snapshots, 'erasures', now).slice(KEPT_LOGS),
  ];
}
