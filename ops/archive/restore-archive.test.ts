import { expect, test } from 'vitest';
import type { Snapshot, SnapshotKind } from '../repository/snapshots.ts';
import { findMoment, selectParts } from './restore-archive.ts';

const at = (hour: number) => new Date(Date.UTC(2026, 10, 22, hour));
const make = (kind: SnapshotKind, hour: number, labels: Snapshot['labels']): Snapshot => ({
  ...{ id: `${kind} ${hour}`, kind, labels, names: [], time: at(hour) },
});
const makeBase = (hour: number, start: string, log = 'a') =>
  make('base', hour, { log, start, end: at(hour + 1).toISOString() });
const makeLog = (hour: number, first: string, log = 'a') => make('wal', hour, { log, first });
const select = (snapshots: readonly Snapshot[], moment?: Date) => {
  const { base, logs } = selectParts(snapshots, moment);

  return [base.id, ...logs.map(({ id }) => id)];
};

const archive = [makeBase(1, '05'), makeBase(11, '09'), makeLog(9, '01'), makeLog(20, '05')];

test('a moment is restored from the last copy that was complete before it, and the newest log that leads on', () => {
  expect(select(archive)).toEqual(['base 11', 'wal 20']);
  expect(select(archive, at(12))).toEqual(['base 11', 'wal 20']);
  // The copy of eleven was complete at twelve.
  expect(select(archive, at(11))).toEqual(['base 1', 'wal 20', 'wal 9']);
  expect(() => select(archive, at(1))).toThrow('The archive begins at');
});

test('what a moment would be restored from is known before any of it is fetched', () => {
  expect(findMoment(archive, at(12))).toEqual({ baseAt: at(11), storedAt: at(20) });
  expect(findMoment(archive, undefined)).toEqual({ baseAt: at(11), storedAt: at(20) });
  expect(() => findMoment(archive, at(1))).toThrow('The archive begins at');
  expect(() => findMoment([], at(1))).toThrow('no archive');
});

test('a log that began anew, or one that begins after the copy, leads on from no copy', () => {
  expect(() => select([makeBase(1, '05'), makeLog(20, '01', 'b')])).toThrow('no archive');
  expect(() => select([makeBase(1, '05'), makeLog(20, '06')])).toThrow('no archive');
  // One that began anew has a copy of its own.
  expect(select([...archive, makeBase(21, '01', 'b'), makeLog(23, '01', 'b')], at(20))).toEqual(['base 11', 'wal 20']);
});

test('a copy that was not completed is none', () => {
  expect(() => select([make('base', 1, { log: 'a', start: '05' }), makeLog(20, '05')])).toThrow('no archive');
});
