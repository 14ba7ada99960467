import { expect, test } from 'vitest';
import { selectDumps, selectOutdated, type Snapshot, type SnapshotKind } from './snapshots.ts';

const make = (kind: SnapshotKind, number: number, isComplete = true): Snapshot => ({
  ...{ id: `${kind} ${number}`, kind, isComplete, names: [], time: day(number) },
});
const makeDump = (number: number) => make('dump', number);
const day = (number: number) => new Date(Date.UTC(2026, 10, number));
const listOutdated = (snapshots: readonly Snapshot[], now = day(30)) =>
  selectOutdated(snapshots, 2, now).map(({ id }) => id);

test('the newest backups are kept, regardless of their order in the list', () => {
  expect(listOutdated([2, 4, 1, 3].map(makeDump))).toEqual(['dump 2', 'dump 1']);
});

test('an incomplete backup does not count, and is removed once a newer backup is complete', () => {
  const partial = [2, 7, 8, 9].map((number) => make('dump', number, false));
  const dumps = [...[1, 5, 6].map(makeDump), ...partial];

  expect(listOutdated(dumps)).toEqual(['dump 1', 'dump 2']);
  expect(selectDumps(dumps, day(30))[0]?.id).toBe('dump 6');
  expect(selectDumps(partial, day(30))).toEqual([]);
});

test('backups dated by a clock that was ahead are considered the oldest', () => {
  const dumps = [40, 2, 3].map(makeDump);

  expect(listOutdated(dumps)).toEqual(['dump 40']);
  expect(listOutdated(dumps, day(41))).toEqual(['dump 2']);
});

test('the three newest copies of the erasure log are kept', () => {
  expect(listOutdated([1, 2, 3, 4].map((number) => make('erasures', number)))).toEqual(['erasures 1']);
});
