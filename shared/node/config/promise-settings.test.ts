import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Hour } from '../../time.ts';
import { createResponsePromise } from '../response-promise/response-promise.ts';
import { listConfigErrors, loadConfig } from './config.ts';

const DATABASE_URL = 'postgres://site:secret@localhost/site';
const BUSINESS_HOURS = 'Mon-Fri 09:00-17:00';

const loadPromise = (settings: Record<string, string> = {}) =>
  createResponsePromise(loadConfig({ DATABASE_URL, ...settings }).followUp);

const listErrors = (settings: Record<string, string>) => listConfigErrors({ DATABASE_URL, ...settings });

const folder = mkdtempSync(join(tmpdir(), 'test-holidays-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a holidays file and returns its path. */
function writeHolidays(content: string): string {
  const file = join(mkdtempSync(join(folder, 'file-')), 'holidays.ics');
  writeFileSync(file, content);

  return file;
}

const writeCalendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', 'BEGIN:VEVENT', 'UID:1', ...lines, 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');

test('without business hours, durations are elapsed time', () => {
  const promise = loadPromise();
  const friday = new Date('2026-11-27T16:00:00Z');

  expect(promise.answer.after(friday)).toEqual(new Date('2026-11-28T16:00:00Z'));
  expect(promise.reminder.after(friday)).toEqual(new Date('2026-11-28T12:00:00Z'));
});

test('with business hours, durations count only open hours in the time zone, excluding holidays', () => {
  const HOLIDAYS_FILE = writeHolidays(writeCalendar('DTSTART;VALUE=DATE:20261130'));
  const promise = loadPromise({
    BUSINESS_HOURS,
    HOLIDAYS_FILE,
    TIME_ZONE: 'Europe/Vienna',
    FOLLOW_UP_AFTER: '8h',
    FOLLOW_UP_REMINDER_AFTER: '30m',
  });
  const friday = new Date('2026-11-27T16:00:00+01:00');

  expect(promise.reminder.after(friday)).toEqual(new Date('2026-11-27T16:30:00+01:00'));
  expect(promise.answer.after(friday)).toEqual(new Date('2026-12-01T16:00:00+01:00'));
});

test.each<[string, Record<string, string>, RegExp]>([
  ['business hours in words', { BUSINESS_HOURS: 'nine to five' }, /^BUSINESS_HOURS must be like Mon-Fri 09:00-17:00/],
  ['overlapping hours', { BUSINESS_HOURS: 'Mon 9-12, Mon 11-13' }, /^BUSINESS_HOURS must not have ranges that overlap, as on Mon$/],
  ['a misspelt name', { BUSINESS_HOUR: BUSINESS_HOURS }, /^BUSINESS_HOUR is not a setting/],
  ['holidays without hours', { HOLIDAYS_FILE: '/none' }, /^BUSINESS_HOURS is required when HOLIDAYS_FILE is set$/],
  ['a missing file', { BUSINESS_HOURS, HOLIDAYS_FILE: '/none.ics' }, /^HOLIDAYS_FILE can't be read \(ENOENT\)$/],
  ['a folder', { BUSINESS_HOURS, HOLIDAYS_FILE: tmpdir() }, /^HOLIDAYS_FILE can't be read \(EISDIR\)$/],
  ['a file without a calendar', { BUSINESS_HOURS, HOLIDAYS_FILE: writeHolidays('hello') }, /^HOLIDAYS_FILE is not an iCalendar file/],
  ['a promise of several years', { BUSINESS_HOURS: 'Mon 09:00-09:01', FOLLOW_UP_AFTER: '5h' }, /^FOLLOW_UP_AFTER exceeds the open time in the coming years/],
])('%s is reported in a sentence that names the setting', (_what, settings, error) => {
  expect(listErrors(settings)).toContainEqual(expect.stringMatching(error));
});

test('invalid hours are not also reported as missing', () => {
  const errors = listErrors({ BUSINESS_HOURS: 'nine to five', HOLIDAYS_FILE: '/none' });

  expect(errors).toEqual([
    expect.stringMatching(/^BUSINESS_HOURS must be like /),
    expect.stringMatching(/^HOLIDAYS_FILE can't be read/),
  ]);
});

test('a promise of a hundred hours may span a hundred weeks', () => {
  const promise = loadPromise({ BUSINESS_HOURS: 'Mon 09:00-10:00', FOLLOW_UP_AFTER: '100h' });
  const monday = new Date('2026-11-23T09:00:00Z');

  expect(promise.answer.after(monday).getTime() - monday.getTime()).toBe((99 * 7 * 24 + 1) * Hour);
});
