import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { getAnswerBy, selectDeadline } from '../../shared/node/contact/submission-state.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { parseWeeklyHours } from '../../shared/node/response-promise/weekly-hours.ts';
import { routePatterns } from '../../shared/paths.ts';
import { Day, Hour, Minute } from '../../shared/time.ts';
import { buildTestApp } from '../support/build-test-app.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { pagePaths } from '../support/site-content.ts';
import { storeSubmission } from '../support/stored-requests.ts';

function makePromise(text: string, dueAfter: number, timeZone = 'Europe/Vienna') {
  const parsed = parseWeeklyHours(text);
  if ('error' in parsed) throw new Error(parsed.error);
  const start = Math.floor(Date.now() / Day - 9) * Day + 3 * Hour;

  return createResponsePromise({
    reminderAfter: dueAfter / 2,
    dueAfter,
    businessTime: { hours: parsed.hours, timeZone, closures: [{ start, end: start + 30 * Hour }] },
  });
}

test.each([
  ['Mon-Fri 09:00-17:00', 8 * Hour, 'Europe/Vienna'],
  ['Mon-Thu 08:00-18:00, Fri 08:00-15:00', 90 * Minute, 'America/New_York'],
  ['Mon-Sun 00:00-24:00', 24 * Hour, 'Australia/Lord_Howe'],
  ['Mon-Fri 08:00-12:00, Mon-Fri 13:00-17:00, Sat 22:00-24:00', 30 * Hour, 'Africa/Casablanca'],
  ['Wed 10:00-11:00', 40 * Hour, 'UTC'],
])('with %s, PostgreSQL computes the deadlines that the mails show', async (text, dueAfter, timeZone) => {
  const database = openDatabase(await createMigratedDatabase(), onTestFinished);
  const promise = makePromise(text, dueAfter, timeZone);
  const now = Date.now();
  const randomTimes = fc.sample(fc.integer({ min: now - 31 * Day, max: now }), { numRuns: 150, seed: 7 });
  // Business hours start and end on the hour or half hour.
  const halfHours = randomTimes.map((time) => time - (time % (30 * Minute)));
  const times = [...randomTimes, ...halfHours, ...halfHours.map((time) => time + 1)].map((time) => new Date(time));
  for (const time of times) await storeSubmission(database, { received_at: time });

  const rows = await database('contact_submissions').select<
    Array<{ receivedAt: Date; answerBy: Date }>
  >('received_at as receivedAt', database.raw('? as "answerBy"', [selectDeadline(database, promise.answer)]));

  expect(rows).toHaveLength(times.length);
  for (const { receivedAt, answerBy } of rows) {
    const expected = getAnswerBy({ receivedAt, releasedAt: null }, promise);
    expect([receivedAt, answerBy]).toEqual([receivedAt, expected]);
  }
});

const businessHours = {
  BUSINESS_HOURS: 'Mon-Thu 08:00-18:00, Fri 08:00-15:00',
  TIME_ZONE: 'Europe/Vienna',
  FOLLOW_UP_AFTER: '8h',
  FOLLOW_UP_REMINDER_AFTER: '6h',
};

/** Returns HTML with plain apostrophes and without React's comments. */
const readText = (html: string) => html.replaceAll('<!-- -->', '').replaceAll('&#x27;', "'");

test.each([
  [businessHours, 'within 8 business hours', ' (Mon–Thu 08:00–18:00, Fri 08:00–15:00, Europe/Vienna)'],
  [{ FOLLOW_UP_AFTER: '2d' }, 'within 48 hours', ''],
])('with %j, no page, message or machine-readable file mentions 24 hours', async (settings, short, hours) => {
  const app = await buildTestApp(settings);
  onTestFinished(app.close);
  const read = async (path: string) => readText(await (await app.fetch(path)).text());

  for (const path of [...pagePaths, '/llms.txt', '/feed.xml', '/no-such-page']) {
    expect([path, (await read(path)).match(/.{40}24 hours/)]).toEqual([path, null]);
  }
  expect(await read(routePatterns.contact)).toContain(`We\u00a0answer ${short}${hours} and find a time to talk.`);
  expect(await read(`${routePatterns.contact}?sent=1`)).toContain(`We'll be in touch ${short}${hours} to schedule`);
  expect(await read(routePatterns.termsOfService)).toContain(`every request ${short}${hours} of receiving it`);
  for (const path of [routePatterns.home, routePatterns.about, routePatterns.contact]) {
    expect(await read(path)).toContain(`answer ${short}`);
  }
});

test('web schedules a request’s mails in business hours', async () => {
  const app = await buildTestApp(businessHours);
  onTestFinished(app.close);
  const promise = createResponsePromise(loadConfig({ DATABASE_URL: app.databaseUrl, ...businessHours }).followUp);

  expect((await postContact(app, makeContactBody())).status).toBe(201);

  const { receivedAt } = await app.database('contact_submissions').first<{ receivedAt: Date }>('received_at as receivedAt');
  expect(await app.database('deliveries').where({ kind: 'follow-up' }).orderBy('due_at').select('stage', 'due_at as dueAt')).toEqual([
    { stage: 'new', dueAt: receivedAt },
    { stage: 'reminder', dueAt: promise.reminder.after(receivedAt) },
    { stage: 'due', dueAt: promise.answer.after(receivedAt) },
  ]);
});
