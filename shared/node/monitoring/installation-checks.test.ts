import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Day, Hour, Second } from '../../time.ts';
import { loadConfig } from '../config/config.ts';
import { readFilesVersion, readImage } from './image.ts';
import {
  backupCheck,
  backupCopyCheck,
  certificateCheck,
  diskCheck,
  holidaysCheck,
  imageCheck,
  rehearsalCheck,
  reminderCheck,
} from './installation-checks.ts';

const DATABASE_URL = 'postgres://site:secret@localhost/site';
const NOW = Date.parse('2026-11-23T12:00:00Z');

const ago = (ms: number) => new Date(NOW - ms);

function writeTemporary(name: string, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'test-checks-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, name), content);

  return join(folder, name);
}

test.each([
  ['of 26 hours', { age: 26 * Hour }, 'ok', /^The newest backup, site-1\.dump, is 26\.0 hours old\.$/],
  ['older than 26 hours', { age: 26 * Hour + Second }, 'warn', /26\.0 hours old/],
  ['dated in the future', { age: -2 * Hour }, 'warn', /-2\.0 hours old/],
  ['without a hash', { age: Hour, hash: undefined }, 'warn', /sha256 contains no hash/],
  ['that does not exist', {}, 'warn', /no verified backup/],
  ['in an installation without backups', { isMade: false }, 'info', /no backups are made here/],
])('a backup %s is assessed', (_what, { age, ...changes }: { age?: number; hash?: undefined; isMade?: boolean }, state, detail) => {
  const newest = age === undefined ? undefined : { path: '/backups/site-1.dump', createdAt: ago(age) };
  const found = { directory: '/backups', isMade: true, hash: 'a', newest, ...changes };

  expect(backupCheck.assess(found, NOW)).toEqual({ state, detail: expect.stringMatching(detail) });
});

test.each([
  ['of 26 hours', { succeeded_at: ago(26 * Hour) }, ['ok']],
  ['older than 26 hours', { succeeded_at: ago(26 * Hour + Second) }, ['warn']],
  ['that never succeeded', { succeeded_at: null }, ['warn']],
  ['in an installation without a repository', undefined, []],
])('a backup copy %s is assessed', (_what, copy, states) => {
  expect([backupCopyCheck.assess(copy, NOW)].flat().map(({ state }) => state)).toEqual(states);
});

test.each([
  ['of 194 hours', 194 * Hour, null, 'ok', /site-1\.dump was restored on 2026-11-15/],
  ['older than 194 hours', 194 * Hour + Second, null, 'warn', /rehearsed on 2026-11-15/],
  ['that failed', Hour, 'It differs.', 'fail', /It differs\.$/],
])('a rehearsal %s is assessed', (_what, age, error, state, detail) => {
  const rehearsal = { backup: 'site-1.dump', rehearsed_at: ago(age), error };

  expect(rehearsalCheck.assess(rehearsal, NOW)).toEqual({ state, detail: expect.stringMatching(detail) });
});

/** Makes a certificate. Times are in milliseconds from now. */
const certify = (from: number, until: number, namesHost = true) => ({
  validFrom: new Date(NOW + from),
  validUntil: new Date(NOW + until),
  namesHost,
});

test.each([
  ['valid for months, with more than 14 days left', certify(-70 * Day, 14 * Day + Second), 'ok', /until 2026-12-07 12:00 UTC\.$/],
  ['valid for months, with 14 days left', certify(-76 * Day, 14 * Day), 'warn', /only valid until 2026-12-07 12:00 UTC/],
  ['valid for hours, before its renewal time', certify(-8 * Hour, 4 * Hour), 'ok', /for 12 hours, .* before 2026-11-23 16:00 UTC/],
  ['valid for hours, after its renewal time', certify(-9 * Hour, 3 * Hour), 'warn', /only valid/],
  ['that has expired', certify(-90 * Day, -Second), 'fail', /browsers refuse it/],
  ['for another host', certify(-Day, 80 * Day, false), 'fail', /not for the host/],
  ['on an unreachable host', { unreachable: 'ECONNREFUSED' }, 'info', /Nothing is listening/],
  ['of a site without HTTPS', undefined, 'info', /no HTTPS/],
])('a certificate %s is assessed', (_what, certificate, state, detail) => {
  expect(certificateCheck.assess(certificate, NOW)).toEqual({ state, detail: expect.stringMatching(detail) });
});

test('a disk check warns below 15% of free space and fails below 100 MB', () => {
  const disks = [15e9, 14.9e9, 99e6, undefined].map((free) => ({
    ...{ use: 'mails', folder: '/mails', space: free === undefined ? undefined : { free, total: 100e9 } },
  }));

  expect(diskCheck.assess(disks, NOW)).toEqual([
    { check: 'disk mails', state: 'ok', detail: '/mails has 14305 MB free, 15%.' },
    { check: 'disk mails', state: 'warn', detail: '/mails has 14209 MB free, 14%.' },
    { check: 'disk mails', state: 'fail', detail: '/mails has 94 MB free, 0%.' },
  ]);
});

describe('an image', () => {
  const image = '{"version":"1.2.0","revision":"unknown","created":"2026-10-01T09:30:00Z"}\n';
  const readWith = (content: string) => readImage(writeTemporary('image.json', content));

  test.each([
    ['of today', '2026-10-01T10:00:00Z', 'ok', /^Version 1\.2\.0, built 2026-10-01, 0 days ago\.$/],
    ['of 45 days', '2026-11-15T09:30:00Z', 'ok', /45 days ago/],
    ['older than 45 days', '2026-11-15T09:30:01Z', 'warn', /45 days ago/],
  ])('%s is assessed', async (_what, now, state, detail) => {
    const outcome = imageCheck.assess(await readWith(image), Date.parse(now));

    expect(outcome).toEqual({ state, detail: expect.stringMatching(detail) });
  });

  test('built without a version has the version in package.json', async () => {
    expect(await readWith(image.replace('1.2.0', 'unknown'))).toMatchObject({ version: await readFilesVersion() });
  });

  test('is unknown outside containers, and a damaged image file is an error', async () => {
    expect(imageCheck.assess(await readImage('/nowhere/image.json'), 0)).toMatchObject({ state: 'info' });
    await expect(readWith('{"version":"1.2.0","created":"yesterday"}')).rejects.toThrow();
  });
});

const NEW_YEAR = 'DTSTART;VALUE=DATE:20270101';

test.each([
  ['only a cancelled holiday', `${NEW_YEAR}\r\nSTATUS:CANCELLED`, '2026-11-23', 'warn', /has no holiday/],
  ['holidays that end in 59 days', NEW_YEAR, '2026-11-04', 'warn', /is on 2027-01-01/],
  ['holidays that end in 61 days', NEW_YEAR, '2026-11-01', 'ok', /until 2027-01-01/],
  ['yearly holidays', `${NEW_YEAR}\r\nRRULE:FREQ=YEARLY`, '2026-11-23', 'ok', /until 20\d\d-01-01/],
])('a file with %s is assessed', (_what, event, today, state, detail) => {
  const HOLIDAYS_FILE = writeTemporary(
    'holidays.ics',
    `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\nBEGIN:VEVENT\r\nUID:1\r\n${event}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`,
  );
  const { followUp } = loadConfig({ DATABASE_URL, BUSINESS_HOURS: 'Mon-Fri 09:00-17:00', HOLIDAYS_FILE });

  expect(holidaysCheck.assess(followUp, Date.parse(today))).toEqual({ state, detail: expect.stringMatching(detail) });
});

test.each([{}, { BUSINESS_HOURS: 'Mon-Fri 09:00-17:00' }])('no holidays are expected with %j', (settings) => {
  expect(holidaysCheck.assess(loadConfig({ DATABASE_URL, ...settings }).followUp, 0)).toMatchObject({ state: 'info' });
});

test.each([
  [{}, 'ok'],
  [{ FOLLOW_UP_AFTER: '21h' }, 'ok'],
  [{ FOLLOW_UP_AFTER: '20h' }, 'warn'],
  // The default reminder is 20 open hours.
  [{ FOLLOW_UP_AFTER: '8h', BUSINESS_HOURS: 'Mon-Fri 09:00-17:00' }, 'warn'],
  [{ FOLLOW_UP_AFTER: '8h', FOLLOW_UP_REMINDER_AFTER: '6h', BUSINESS_HOURS: 'Mon-Fri 09:00-17:00' }, 'ok'],
])('with %j the reminder is %s', (settings, state) => {
  expect(reminderCheck.assess(loadConfig({ DATABASE_URL, ...settings }).followUp, NOW)).toMatchObject({ state });
});
