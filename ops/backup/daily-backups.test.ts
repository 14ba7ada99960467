import { expect, test } from 'vitest';
import { isBackupDue, isRehearsalDue } from './daily-backups.ts';

const isDue = (newest: string | undefined, now: string, ...at: string[]) =>
  isBackupDue(newest === undefined ? undefined : new Date(newest), new Date(now), {
    at: at.length > 0 ? at : ['03:00'],
    timeZone: 'Europe/Vienna',
  });

test('a backup is due from its time of day until one is made', () => {
  // 03:00 in Vienna is 02:00 UTC in winter.
  expect(isDue('2026-11-20T02:00:05Z', '2026-11-21T01:59:59Z')).toBe(false);
  expect(isDue('2026-11-20T02:00:05Z', '2026-11-21T02:00:00Z')).toBe(true);
  expect(isDue('2026-11-21T02:00:05Z', '2026-11-21T23:30:00Z')).toBe(false);
});

test('a missed backup is due immediately, and so is the first one', () => {
  expect(isDue('2026-11-18T02:00:05Z', '2026-11-21T01:00:00Z')).toBe(true);
  expect(isDue('2026-11-21T01:00:00Z', '2026-11-21T14:00:00Z')).toBe(true);
  expect(isDue(undefined, '2026-11-21T14:00:00Z')).toBe(true);
});

test('a backup is due at each of several times a day', () => {
  const times = ['02:30', '09:00', '21:00'];
  expect(isDue('2026-11-21T01:30:05Z', '2026-11-21T07:59:59Z', ...times)).toBe(false);
  expect(isDue('2026-11-21T01:30:05Z', '2026-11-21T08:00:00Z', ...times)).toBe(true);
  expect(isDue('2026-11-21T08:00:05Z', '2026-11-21T19:59:59Z', ...times)).toBe(false);
  expect(isDue('2026-11-21T08:00:05Z', '2026-11-21T20:00:00Z', ...times)).toBe(true);
  expect(isDue('2026-11-21T20:00:05Z', '2026-11-22T01:29:59Z', ...times)).toBe(false);
  expect(isDue('2026-11-21T08:00:05Z', '2026-11-22T00:00:00Z', ...times)).toBe(true);
  // 02:30 occurs twice on 25 October, and not at all on 29 March.
  expect(isDue('2026-10-25T00:30:05Z', '2026-10-25T01:30:05Z', ...times)).toBe(false);
  expect(isDue('2026-03-28T20:00:05Z', '2026-03-29T01:00:00Z', ...times)).toBe(true);
});

test('exactly one backup is due on days when the clocks change', () => {
  // In Vienna clocks go forward at 02:00 on 29 March 2026, and back at 03:00 on 25 October, both at 01:00 UTC.
  expect(isDue('2026-03-28T02:00:05Z', '2026-03-29T00:59:00Z')).toBe(false);
  expect(isDue('2026-03-28T02:00:05Z', '2026-03-29T01:00:00Z')).toBe(true);
  expect(isDue('2026-10-24T01:00:05Z', '2026-10-25T01:59:00Z')).toBe(false);
  expect(isDue('2026-10-24T01:00:05Z', '2026-10-25T02:00:00Z')).toBe(true);
  expect(isDue('2026-10-25T02:00:05Z', '2026-10-26T01:59:00Z')).toBe(false);
});

test('a rehearsal is due each week, after a failure, and if the last one is dated in the future', () => {
  const now = new Date('2026-11-21T14:00:00Z');
  const isDueAfter = (time: string, error: string | null = null) =>
    isRehearsalDue({ rehearsed_at: new Date(time), backup: 'site.dump', error }, now);

  expect(isRehearsalDue(undefined, now)).toBe(true);
  expect(isDueAfter('2026-11-20T14:00:00Z')).toBe(false);
  expect(isDueAfter('2026-11-14T20:00:00Z')).toBe(true);
  expect(isDueAfter('2026-11-20T14:00:00Z', 'It failed.')).toBe(true);
  expect(isDueAfter('2027-11-20T14:00:00Z')).toBe(true);
});
