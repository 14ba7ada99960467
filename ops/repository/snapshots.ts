import { sortNewestFirst } from '../../shared/time.ts';

/** What is stored in the repository, a tag of each snapshot: `dump`, a backup; `erasures`, the erasure log. */
export const snapshotKinds = ['dump', 'erasures'] as const;
export type SnapshotKind = (typeof snapshotKinds)[number];

export interface Snapshot {
  readonly id: string;
  readonly kind: SnapshotKind;
  readonly time: Date;
  readonly labels: Readonly<Record<string, string>>;
  readonly names: readonly string[];
}

export type SnapshotsBySite = ReadonlyMap<string, readonly Snapshot[]>;

export const selectKind = (snapshots: readonly Snapshot[], kind: SnapshotKind, now = new Date()): readonly Snapshot[] =>
  sortNewestFirst(
    snapshots.filter((snapshot) => snapshot.kind === kind),
    ({ time }) => time,
    now,
  );

/** States of an erasure log: more than one, in case a disk damages the file. */
const KEPT_LOGS = 3;

/** When a copy of a backup was complete; undefined for one that wasn't completed. */
export const getEnd = ({ labels }: Snapshot): Date | undefined =>
  labels['end'] === undefined ? undefined : new Date(labels['end']);

/** The backups, the newest first. Of one that can't be read to its end restic stores a part, which doesn't count. */
export const selectDumps = (snapshots: readonly Snapshot[], now = new Date()): readonly Snapshot[] =>
  selectKind(snapshots, 'dump', now).filter(getEnd);

export const findNewestDump = (snapshots: readonly Snapshot[], now = new Date()): Snapshot | undefined =>
  selectDumps(snapshots, now)[0];

/** Outdated snapshots: backups beyond the newest `keep`, parts before the newest whole one, older erasure logs. */
export function selectOutdated(snapshots: readonly Snapshot[], keep: number, now: Date): readonly Snapshot[] {
  const whole = selectDumps(snapshots, now);
  const [newest] = whole;
  const isOutdatedPart = (dump: Snapshot) => !getEnd(dump) && newest !== undefined && dump.time < newest.time;

  return [
    ...whole.slice(keep),
    ...selectKind(snapshots, 'dump', now).filter(isOutdatedPart),
    ...selectKind(snapshots, 'erasures', now).slice(KEPT_LOGS),
  ];
}
