import { expect, test } from 'vitest';
import { loadConfig } from '../../shared/node/config/config.ts';
import { assessReminder } from './check-reminder.ts';

const DATABASE_URL = 'postgres://site:secret@localhost/site';

test.each([
  [{}, 'ok'],
  [{ FOLLOW_UP_AFTER: '21h' }, 'ok'],
  [{ FOLLOW_UP_AFTER: '20h' }, 'warn'],
  [{ FOLLOW_UP_AFTER: '4h' }, 'warn'],
  // The default reminder, two and a half days of eight hours, with a promise of one.
  [{ FOLLOW_UP_AFTER: '8h', BUSINESS_HOURS: 'Mon-Fri 09:00-17:00' }, 'warn'],
  [{ FOLLOW_UP_AFTER: '8h', FOLLOW_UP_REMINDER_AFTER: '6h', BUSINESS_HOURS: 'Mon-Fri 09:00-17:00' }, 'ok'],
])('with %j the reminder is %s', (settings, state) => {
  expect(assessReminder(loadConfig({ DATABASE_URL, ...settings })).state).toBe(state);
});
