import { Day, sortNewestFirst } from '../../shared/time.ts';

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

/** For how long any moment of the archive can be restored. */
const KEPT_MOMENTS = 7 * Day;

/** For how long the archive may have what was erased since: as old as the older of its copies gets. */
const MAX_AGE = 2 * KEPT_MOMENTS;

/** Those of a kind, the newest first. */
export const selectKind = (snapshots: readonly Snapshot[], kind: SnapshotKind, now = new Date()): readonly Snapshot[] =>
  sortNewestFirst(
    snapshots.filter((snapshot) => snapshot.kind === kind),
    ({ time }) => time,
    now,
  );

const getUpload = ({ labels }: Snapshot): number => Number(labels['upload'] ?? 0);

/** Snapshots of write-ahead logs, of each log the newest first: by the number of the upload, whatever the clock was. */
export const selectLogs = (snapshots: readonly Snapshot[], now = new Date()): readonly Snapshot[] =>
  selectKind(snapshots, 'wal', now).toSorted((one, other) => getUpload(other) - getUpload(one));

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

/** When a copy was complete, of the server's files or of a backup; undefined for one that wasn't completed. */
export const getEnd = ({ labels }: Snapshot): Date | undefined =>
  labels['end'] === undefined ? undefined : new Date(labels['end']);

/**
 * The backups, the newest first. Of one that can't be read to its end restic stores a part: those count only where there
 * is no whole one, as in repositories of version 1.0, which marked none.
 */
export function selectDumps(snapshots: readonly Snapshot[], now = new Date()): readonly Snapshot[] {
  const dumps = selectKind(snapshots, 'dump', now);
  const whole = dumps.filter(getEnd);

  return whole.length > 0 ? whole : dumps;
}

export const findNewestDump = (snapshots: readonly Snapshot[], now = new Date()): Snapshot | undefined =>
  selectDumps(snapshots, now)[0];

/** Backups beyond the newest `keep`. A part of one takes no whole one's place, and goes with those of its time. */
function selectOutdatedDumps(dumps: readonly Snapshot[], keep: number): readonly Snapshot[] {
  const older = new Set(listOlder(dumps, keep, (dump) => (getEnd(dump) ? 'whole' : 'partial')));
  const oldest = dumps.filter(getEnd)[keep - 1];

  return dumps.filter((dump) => older.has(dump) || (oldest !== undefined && dump.time < oldest.time));
}

/** Whether a log has everything since the copy began, and also what came until it was complete. */
export function leadsOn(log: Pick<Snapshot, 'time' | 'labels'>, base: Snapshot): boolean {
  const end = getEnd(base);

  return (
    end !== undefined &&
    log.time >= end &&
    log.labels['log'] === base.labels['log'] &&
    (log.labels['first'] ?? '') <= (base.labels['start'] ?? '')
  );
}

/**
 * The copies of the server's files from which a log leads on, the newest first: by when their logs were last stored, and
 * of one log by where in it they began, which both hold also where the clock was ahead when a copy was made.
 */
export function selectBases(snapshots: readonly Snapshot[], now = new Date()): readonly Snapshot[] {
  const logs = selectLogs(snapshots, now);
  const lastStored = new Map(logs.toReversed().map(({ labels, time }) => [labels['log'], time]));
  const bases = selectKind(snapshots, 'base', now)
    .filter((base) => logs.some((log) => leadsOn(log, base)))
    .toSorted((one, other) => (other.labels['start'] ?? '').localeCompare(one.labels['start'] ?? ''));

  return sortNewestFirst(bases, ({ labels, time }) => lastStored.get(labels['log']) ?? time, now);
}

/** Up to when the archive goes on, roughly: its log is stored every second. Undefined where no moment can be restored. */
export function getArchiveEnd(snapshots: readonly Snapshot[], now = new Date()): Date | undefined {
  const [base] = selectBases(snapshots, now);

  return base && selectLogs(snapshots, now).find((log) => leadsOn(log, base))?.time;
}

/**
 * The copies that are needed to restore any moment of the last week, the newest first. They are not counted: after
 * a restore the archive begins anew, and who looks for the right moment restores more than once.
 */
export function selectKeptBases(snapshots: readonly Snapshot[], now: Date): readonly Snapshot[] {
  const bases = selectBases(snapshots, now);
  const isForAll = (base: Snapshot) => now.getTime() - Number(getEnd(base)) >= KEPT_MOMENTS;
  const last = bases.findIndex(isForAll);

  return last === -1 ? bases : bases.slice(0, last + 1);
}

/** All of an archive that nothing continues; else what lies before its kept copies or is part of a later snapshot. */
function selectOutdatedArchive(snapshots: readonly Snapshot[], now: Date): readonly Snapshot[] {
  const bases = selectKind(snapshots, 'base', now);
  const wal = selectLogs(snapshots, now);
  const archive = [...bases, ...wal];
  if (archive.every(({ time }) => now.getTime() - time.getTime() > MAX_AGE)) return archive;
  const oldestBase = selectKeptBases(snapshots, now).at(-1);
  const superseded = new Set(listOlder(wal, 1, ({ labels }) => `${labels['log']} ${labels['first']}`));
  const isBeforeArchive = ({ time }: Snapshot) => oldestBase !== undefined && time < oldestBase.time;

  return [
    ...bases.filter(isBeforeArchive),
    ...wal.filter((snapshot) => superseded.has(snapshot) || isBeforeArchive(snapshot)),
  ];
}

/**
 * The snapshots that are no longer needed: backups beyond the newest `keep`, erasure logs of which there are
 * newer states, and of the archive what no moment of the last week needs, or all where it was ended two weeks ago.
 */
export function selectOutdated(snapshots: readonly Snapshot[], keep: number, now: Date): readonly Snapshot[] {
  return [
    ...selectOutdatedDumps(selectKind(snapshots, 'dump', now), keep),
    // Of each log: a site that was started anew begins another one.
    ...listOlder(selectKind(snapshots, 'erasures', now), KEPT_LOGS, ({ labels }) => labels['log'] ?? ''),
    ...selectOutdatedArchive(snapshots, now),
  ];
}
