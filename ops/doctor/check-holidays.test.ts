import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../shared/node/config/config.ts';
import { assessHolidays } from './check-holidays.ts';

const DATABASE_URL = 'postgres://site:secret@localhost/site';

function loadWith(event: string) {
  const folder = mkdtempSync(join(tmpdir(), 'test-holidays-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const HOLIDAYS_FILE = join(folder, 'holidays.ics');
  writeFileSync(
    HOLIDAYS_FILE,
    `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//test//EN\r\nBEGIN:VEVENT\r\nUID:1\r\n${event}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`,
  );

  return loadConfig({ DATABASE_URL, BUSINESS_HOURS: 'Mon-Fri 09:00-17:00', HOLIDAYS_FILE });
}

const NEW_YEAR = 'DTSTART;VALUE=DATE:20270101';

test.each([
  ['none that take place', `${NEW_YEAR}\r\nSTATUS:CANCELLED`, '2026-11-23', 'warn', /has no holiday/],
  ['only past ones', NEW_YEAR, '2027-01-02', 'warn', /was on 2027-01-01/],
  ['some that end in 59 days', NEW_YEAR, '2026-11-04', 'warn', /is on 2027-01-01/],
  ['some that end in 61 days', NEW_YEAR, '2026-11-01', 'ok', /until 2027-01-01/],
  ['some that come each year', `${NEW_YEAR}\r\nRRULE:FREQ=YEARLY`, '2026-11-23', 'ok', /until 20\d\d-01-01/],
])('a file with %s', (_what, event, today, state, detail) => {
  const outcome = assessHolidays(loadWith(event), Date.parse(today));

  expect(outcome).toEqual({ state, detail: expect.stringMatching(detail) });
});

test('nothing is asked about holidays where no file is set', () => {
  const withoutFile = { DATABASE_URL, BUSINESS_HOURS: 'Mon-Fri 09:00-17:00' };

  expect(assessHolidays(loadConfig({ DATABASE_URL }), 0).state).toBe('info');
  expect(assessHolidays(loadConfig(withoutFile), 0).state).toBe('info');
});
