import { expect, test } from 'vitest';
import { findNewestDump, getArchiveEnd, selectBases, selectKeptBases, selectOutdated, type Snapshot, type SnapshotKind } from './snapshots.ts';

const make = (kind: SnapshotKind, number: number, labels: Snapshot['labels'] = {}): Snapshot => ({
  ...{ id: `${kind} ${number}`, kind, labels, names: [], time: day(number) },
});
const day = (number: number) => new Date(Date.UTC(2026, 10, number));
const listOutdated = (snapshots: readonly Snapshot[], now = day(30)) =>
  selectOutdated(snapshots, 2, now).map(({ id }) => id);

/** A copy that was complete an hour after it began. */
const makeBase = (number: number, log: string, start: string) =>
  make('base', number, { log, start, end: new Date(Date.UTC(2026, 10, number, 1)).toISOString() });

test('the newest backups stay, whatever their order', () => {
  expect(listOutdated([make('dump', 2), make('dump', 4), make('dump', 1), make('dump', 3)])).toEqual(['dump 2', 'dump 1']);
});

test('a part of a backup takes the place of no whole one, and goes with those of its time', () => {
  const whole = [1, 5, 6].map((number) => make('dump', number, { end: day(number).toISOString() }));
  const partial = [2, 3, 7, 8, 9].map((number) => make('dump', number));

  expect(listOutdated([...whole, ...partial])).toEqual(['dump 7', 'dump 3', 'dump 2', 'dump 1']);
  expect(findNewestDump([...whole, ...partial], day(30))?.id).toBe('dump 6');
  expect(findNewestDump(partial, day(30))?.id).toBe('dump 9');
});

test('backups of a clock that was ahead are the oldest', () => {
  const dumps = [make('dump', 40), make('dump', 2), make('dump', 3)];

  expect(listOutdated(dumps)).toEqual(['dump 40']);
  expect(listOutdated(dumps, day(41))).toEqual(['dump 2']);
});

test('of each erasure log the newest three states stay, also of one that a new host has not', () => {
  const logs = [1, 2, 3, 4].map((day) => make('erasures', day, { log: 'a' }));
  logs.push(make('erasures', 5, { log: 'b' }));

  expect(listOutdated(logs)).toEqual(['erasures 1']);
});

test('of the archive stays what any moment of the last week is restored from', () => {
  const archive = [
    ...[makeBase(1, 'a', '01'), makeBase(8, 'a', '05'), makeBase(15, 'a', '09')],
    ...[make('wal', 7, { log: 'a', first: '01' }), make('wal', 9, { log: 'a', first: '01' })],
    ...[make('wal', 14, { log: 'a', first: '01' })],
    ...[make('wal', 16, { log: 'a', first: '05' }), make('wal', 17, { log: 'a', first: '05' })],
  ];

  // On the fifteenth the copy of the eighth is not a week old yet: what lies before it may be asked for.
  expect(listOutdated(archive.slice(0, 6), day(15))).toEqual(['wal 9', 'wal 7']);
  expect(listOutdated(archive.slice(0, 7), day(16))).toEqual(['base 1', 'wal 9', 'wal 7']);
  expect(listOutdated(archive, day(23))).toEqual(['base 8', 'base 1', 'wal 16', 'wal 14', 'wal 9', 'wal 7']);
  expect(listOutdated([make('wal', 1, { log: 'a', first: '01' })], day(14))).toEqual([]);
});

test('of a log the last upload stays, also where the clock was ahead at the one before', () => {
  const log = { log: 'a', first: '01' };
  const archive = [
    makeBase(1, 'a', '01'),
    make('wal', 12, { ...log, upload: '9' }),
    make('wal', 10, { ...log, upload: '10' }),
    make('wal', 11, { ...log, upload: '11' }),
  ];

  for (const now of [11, 13]) expect(listOutdated(archive, day(now))).toEqual(['wal 10', 'wal 12']);
});

test('the newest copy of the server’s files is that of the log that was stored last, made last, whatever the clock was', () => {
  const archive = [
    // Made while the clock was ahead for days, in another log and in this one.
    ...[makeBase(11, 'a', '07'), make('wal', 12, { log: 'a', first: '01', upload: '5' })],
    ...[makeBase(10, 'b', '08'), make('wal', 18, { log: 'b', first: '08', upload: '9' })],
    makeBase(9, 'b', '09'),
  ];

  expect(selectBases(archive, day(18)).map(({ id, labels }) => [id, labels['start']])).toEqual([
    ['base 9', '09'],
    ['base 10', '08'],
    ['base 11', '07'],
  ]);
});

test('of an archive that was ended everything stays for two weeks, and nothing for longer', () => {
  const ended = [makeBase(1, 'a', '01'), make('wal', 2, { log: 'a', first: '01' }), make('dump', 3)];

  expect(listOutdated(ended, day(16))).toEqual([]);
  expect(listOutdated(ended, day(17))).toEqual(['base 1', 'wal 2']);
});

test('an archive that began anew again and again, as where several moments are restored, keeps what was before', () => {
  const anew = [10, 11, 12].flatMap((number) => {
    const log = `of ${number}`;

    return [makeBase(number, log, '04'), make('wal', number + 1, { log, first: '04' })];
  });
  const archive = [makeBase(1, 'a', '01'), makeBase(8, 'a', '05'), make('wal', 9, { log: 'a', first: '01' }), ...anew];

  expect(listOutdated(archive, day(13))).toEqual([]);
  expect(listOutdated(archive, day(16))).toEqual(['base 1']);
});

test('a copy from which no log leads on replaces none', () => {
  const archive = [makeBase(1, 'a', '01'), make('wal', 9, { log: 'a', first: '01' })];
  const unusable = [
    // Of another log, of a segment that was not received, and not completed.
    ...[makeBase(11, 'b', '04'), makeBase(12, 'a', '00'), make('base', 13, { log: 'a', start: '04' })],
    // No log was stored since it is complete.
    makeBase(20, 'a', '09'),
  ];

  expect(selectKeptBases([...archive, ...unusable], day(30)).map(({ id }) => id)).toEqual(['base 1']);
  expect(listOutdated([...archive, ...unusable])).toEqual([]);
});

test('an archive goes on up to its newest log, of the copy that a moment would be restored from', () => {
  const logs = [make('wal', 2, { log: 'a', first: '01', upload: '1' }), make('wal', 3, { log: 'a', first: '01', upload: '2' })];

  expect(getArchiveEnd([makeBase(1, 'a', '01'), ...logs], day(4))).toEqual(day(3));
  expect(getArchiveEnd(logs, day(4))).toBeUndefined();
});
