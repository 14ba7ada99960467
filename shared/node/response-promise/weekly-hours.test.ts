import { expect, test } from 'vitest';
import { describeWeeklyHours, parseWeeklyHours } from './weekly-hours.ts';

function describeParsed(text: string): string {
  const parsed = parseWeeklyHours(text);

  return 'error' in parsed ? `error: ${parsed.error}` : describeWeeklyHours(parsed.hours);
}

test.each([
  ['Mon-Fri 09:00-17:00', 'Mon–Fri 09:00–17:00'],
  ['mon-fri 9-17', 'Mon–Fri 09:00–17:00'],
  ['Mon–Fri 09:00 – 17:00', 'Mon–Fri 09:00–17:00'],
  ['Mon-Thu 08:00-18:00, Fri 08:00-15:00', 'Mon–Thu 08:00–18:00, Fri 08:00–15:00'],
  ['Mon-Fri 13:00-17:00,Mon-Fri 08:00-12:00', 'Mon–Fri 08:00–12:00 and 13:00–17:00'],
  ['Sun-Thu 08:00-16:00', 'Sun–Thu 08:00–16:00'],
  ['Wed 10:00-12:00, Mon 10:00-12:00', 'Mon 10:00–12:00, Wed 10:00–12:00'],
  ['Mon-Sun 00:00-24:00', 'Mon–Sun 00:00–24:00'],
  ['Fri 22:00-24:00, Sat 00:00-02:00', 'Fri 22:00–24:00, Sat 00:00–02:00'],
  ['Mon-Fri 08:00-12:00, Mon-Fri 12:00-17:00', 'Mon–Fri 08:00–12:00 and 12:00–17:00'],
])('%s is read as %s', (text, description) => {
  expect(describeParsed(text)).toBe(description);
});

test.each([
  ['', /^error: must be like Mon-Fri 09:00-17:00/],
  ['Mon-Fri', /must be like/],
  ['09:00-17:00', /must be like/],
  ['Mon-Fri 09:00-17:00,', /must be like/],
  ['Mon-Foo 09:00-17:00', /must be like/],
  ['Mon-Fri 09:60-17:00', /must be like/],
  ['Mon-Fri 09:00-24:01', /must be like/],
  ['Mon-Fri 17:00-09:00', /must have times that end after they begin, not Mon-Fri 17:00-09:00/],
  ['Mon-Fri 09:00-09:00', /must have times that end after they begin/],
  ['Fri 22:00-02:00', /past midnight is Fri 22:00-24:00, Sat 00:00-02:00/],
  ['Mon-Fri 09:00-17:00, Tue 16:00-18:00', /must not have ranges that overlap, as on Tue/],
  ['Mon-Fri 09:00-17:00, Fri-Mon 10:00-11:00', /overlap, as on Mon/],
])('%j is rejected with a reason', (text, message) => {
  expect(describeParsed(text)).toMatch(message);
});
