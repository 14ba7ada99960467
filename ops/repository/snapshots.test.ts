import { expect, test } from 'vitest';
import { selectOutdated, type Snapshot, type SnapshotKind } from './snapshots.ts';

const make = (kind: SnapshotKind, day: number, labels: Snapshot['labels'] = {}): Snapshot => ({
  ...{ id: `${kind} ${day}`, kind, labels, names: [] },
  time: new Date(Date.UTC(2026, 10, day)),
});
const listOutdated = (snapshots: readonly Snapshot[], keep = 2) =>
  selectOutdated(snapshots, keep).map(({ id }) => id);

test('the newest backups stay, whatever their order', () => {
  expect(listOutdated([make('dump', 2), make('dump', 4), make('dump', 1), make('dump', 3)])).toEqual(['dump 2', 'dump 1']);
});

test('of each erasure log the newest three states stay, also of one that a new host has not', () => {
  const logs = [1, 2, 3, 4].map((day) => make('erasures', day, { log: 'a' }));
  logs.push(make('erasures', 5, { log: 'b' }));

  expect(listOutdated(logs)).toEqual(['erasures 1']);
});

test('of the archive two copies stay, and what is needed to go on from them', () => {
  const first = { system: '7', first: '000000010000000000000001' };
  const second = { system: '7', first: '000000010000000000000009' };
  const archive = [
    ...[make('base', 1), make('base', 8), make('base', 15)],
    ...[make('wal', 7, first), make('wal', 9, first), make('wal', 14, first)],
    ...[make('wal', 16, second), make('wal', 17, second)],
  ];

  expect(listOutdated(archive)).toEqual(['base 1', 'wal 16', 'wal 9', 'wal 7']);
  expect(listOutdated([make('wal', 1, first)])).toEqual([]);
});
