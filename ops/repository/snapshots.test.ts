import { expect, test } from 'vitest';
import { findNewestDump, selectOutdated, type Snapshot, type SnapshotKind } from './snapshots.ts';

const make = (kind: SnapshotKind, number: number, labels: Snapshot['labels'] = {}): Snapshot => ({
  ...{ id: `${kind} ${number}`, kind, labels, names: [], time: day(number) },
});
const makeWhole = (number: number) => make('dump', number, { end: day(number).toISOString() });
const day = (number: number) => new Date(Date.UTC(2026, 10, number));
const listOutdated = (snapshots: readonly Snapshot[], now = day(30)) =>
  selectOutdated(snapshots, 2, now).map(({ id }) => id);

test('the newest backups stay, whatever their order', () => {
  expect(listOutdated([2, 4, 1, 3].map(makeWhole))).toEqual(['dump 2', 'dump 1']);
});

test('a part of a backup takes the place of no whole one, and goes once there is a newer whole one', () => {
  const partial = [2, 7, 8, 9].map((number) => make('dump', number));
  const dumps = [...[1, 5, 6].map(makeWhole), ...partial];

  expect(listOutdated(dumps)).toEqual(['dump 1', 'dump 2']);
  expect(findNewestDump(dumps, day(30))?.id).toBe('dump 6');
  expect(findNewestDump(partial, day(30))).toBeUndefined();
});

test('backups of a clock that was ahead are the oldest', () => {
  const dumps = [40, 2, 3].map(makeWhole);

  expect(listOutdated(dumps)).toEqual(['dump 40']);
  expect(listOutdated(dumps, day(41))).toEqual(['dump 2']);
});

test('of the erasure log the newest three states stay', () => {
  expect(listOutdated([1, 2, 3, 4].map((day) => make('erasures', day)))).toEqual(['erasures 1']);
});
