import { expect, onTestFinished, test } from 'vitest';
import { createReportHandler } from '../../jobs/report/send-report.ts';
import { mapKinds } from '../../shared/deliveries/delivery.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { readRequestReport } from '../../shared/node/contact/request-report.ts';
import { batchTimeouts, createDatabase, type Database } from '../../shared/node/database/database.ts';
import { planReport } from '../../shared/node/deliveries/planned-deliveries.ts';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { Hour, Minute } from '../../shared/time.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { runDueOf, unobserved } from '../support/delivery-job.ts';
import { setUpOps, storeSubmission } from '../support/ops-fixture.ts';
import { openMailer } from '../support/open-mailer.ts';
import { startSmtpSink } from '../support/smtp-sink.ts';
import { getDatabaseName } from '../support/test-databases.ts';

const promise = createResponsePromise({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour });

/** A database whose `now()` returns the time that the test sets. */
async function createDatabaseWithClock() {
  const url = await createMigratedDatabase();
  const setUp = createDatabase(url, 'test', batchTimeouts);
  onTestFinished(() => setUp.destroy());
  await setUp.raw(`
    create schema clock;
    create table clock.time (now timestamptz);
    insert into clock.time values ('2026-01-01T00:00:00Z');
    create function clock.now() returns timestamptz stable language sql as 'select now from clock.time';
    alter database "${getDatabaseName(url)}" set search_path = clock, pg_catalog, public`);
  // The timeouts are long, so that a slow machine doesn't fail the test.
  const database = createDatabase(url, 'test', batchTimeouts);
  onTestFinished(() => database.destroy());

  return { database, setClock: (time: string) => database.raw('update clock.time set now = ?', [time]) };
}

async function setUpReports() {
  const { database, setClock } = await createDatabaseWithClock();
  const sink = await startSmtpSink();
  const mailer = openMailer(sink.url);
  const settings = {
    siteName: 'Praline',
    sales: ['sales@example.com', 'owner@example.com'],
    timeZone: 'Europe/Vienna',
    reportAt: 8 * (Hour / Minute),
    promise,
  };
  const handlers = mapKinds(() => createReportHandler(database, mailer, settings));
  /** Runs the worker's task once. */
  const runTask = async () => {
    await planReport(database, settings);
    await runDueOf({ ...unobserved, database, handlers, timings: productionTimings }, 'report');
  };
  /** Sets the clock and runs the task twice in each of three workers. Returns the number of reports so far. */
  const countAt = async (time: string) => {
    await setClock(time);
    await Promise.all([runTask(), runTask(), runTask()]);
    await Promise.all([runTask(), runTask(), runTask()]);

    return sink.received.length;
  };

  return { database, setClock, sink, countAt, runTask };
}

test('one of several workers sends the report once a week on schedule, or later if no worker ran then', async () => {
  const { sink, countAt } = await setUpReports();

  expect(await countAt('2026-03-25T12:00:00Z'), 'the Wednesday of the first start').toBe(0);
  // Daylight saving time had started the night before.
  expect(await countAt('2026-03-30T05:59:00Z'), '7:59').toBe(0);
  expect(await countAt('2026-03-30T06:00:00Z'), '8:00').toBe(1);
  expect(await countAt('2026-03-31T06:00:00Z'), 'the next day').toBe(1);
  expect(await countAt('2026-04-06T05:59:00Z'), 'the next week, too early').toBe(1);
  expect(await countAt('2026-04-08T20:00:00Z'), 'no worker ran on Monday').toBe(2);
  expect(await countAt('2026-04-13T06:00:00Z'), 'the week after').toBe(3);
  expect(sink.received.map(({ mail }) => mail.messageId)).toEqual([
    '<report-2026-03-30@example.com>',
    '<report-2026-04-06@example.com>',
    '<report-2026-04-13@example.com>',
  ]);
  expect(sink.received[0]?.mail.to?.map(({ address }) => address)).toEqual(['sales@example.com', 'owner@example.com']);
});

test('a report that the mail server refuses because of a source’s name is resent immediately without sources', async () => {
  const { database, sink, countAt } = await setUpReports();
  await storeSubmission(database, { received_at: '2026-03-24T09:00:00Z', source: { utm_source: 'refusedsource' } });
  sink.refusedWords.set('refusedsource', 554);

  expect(await countAt('2026-03-30T06:00:00Z')).toBe(1);
  const { text = '', attachments } = sink.received[0]?.mail ?? {};
  expect(text).not.toContain('refusedsource');
  expect(text.replace(/\s+/g, ' ')).toContain('The mail server refused the mail that names where requests came from');
  expect(attachments).toEqual([]);
});

const anna = { what: 'contacted', by: 'anna@sales.example' };

/** Stores requests from the week of Monday, 23 March 2026, as of the 30th, and from the four weeks before. */
const requests: ReadonlyArray<Record<string, unknown> & { readonly events?: readonly object[] }> = [
  // Answered after one, two and three hours.
  { received_at: '2026-03-23T09:00:00Z', contacted_at: '2026-03-23T10:00:00Z', industry: 'manufacturing', events: [anna] },
  { received_at: '2026-03-24T09:00:00Z', contacted_at: '2026-03-24T11:00:00Z', industry: 'manufacturing', events: [anna] },
  {
    received_at: '2026-03-25T09:00:00Z',
    contacted_at: '2026-03-25T12:00:00Z',
    source: { referrer: '=evil.example' },
    // Undone outcomes are not counted.
    events: [{ ...anna, undone_at: '2026-03-25T11:00:00Z' }, { what: 'contacted', by: 'ben@sales.example' }],
  },
  // Answered late, after 31 hours, through a link without an address.
  { received_at: '2026-03-26T09:00:00Z', contacted_at: '2026-03-27T16:00:00Z', industry: null, source: null, events: [{ what: 'contacted' }] },
  // The response time is measured from the release.
  {
    received_at: '2026-03-20T09:00:00Z',
    released_at: '2026-03-27T09:00:00Z',
    contacted_at: '2026-03-27T13:00:00Z',
    industry: 'healthcare',
  },
  // Settled in time, but not answered.
  { received_at: '2026-03-26T09:00:00Z', unfit_at: '2026-03-26T10:00:00Z' },
  // Overdue.
  { received_at: '2026-03-27T09:00:00Z' },
  // Open and not overdue, received on Sunday at 23:30 in Vienna, the day the clocks went forward.
  { received_at: '2026-03-29T21:30:00Z' },
  // Held.
  { received_at: '2026-03-24T09:00:00Z', quarantined_at: '2026-03-24T09:00:00Z' },
  // Not counted: spam, and a request from the next week.
  { received_at: '2026-03-24T09:00:00Z', quarantined_at: '2026-03-24T09:00:00Z', spam_at: '2026-03-25T09:00:00Z' },
  { received_at: '2026-03-29T22:00:00Z' },
  // One request in each of the four weeks before, the first one at midnight on Monday in Vienna.
  ...['02-22T23:00', '03-04T09:00', '03-11T09:00', '03-18T09:00'].map((time) => ({
    received_at: `2026-${time}:00Z`,
    contacted_at: `2026-${time}:00Z`,
    events: [anna],
  })),
  // Not counted: a request from before these weeks.
  { received_at: '2026-02-22T22:59:00Z' },
];

async function storeRequests(database: Database): Promise<void> {
  for (const { events = [], ...request } of requests) {
    const id = await storeSubmission(database, request);
    for (const event of events) await database('submission_events').insert({ submission_id: id, ...event });
  }
}

test('the report has metrics for the week and for the four weeks before', async () => {
  const { database, setClock } = await createDatabaseWithClock();
  await setClock('2026-03-30T06:00:00Z');
  await storeRequests(database);

  const period = { from: '2026-03-23', to: '2026-03-29', timeZone: 'Europe/Vienna' };
  const report = await readRequestReport(database, period, promise);

  expect(report.metrics).toEqual({
    unfit: 1,
    requests: 8,
    decided: 6,
    metWithin: 4,
    answered: 5,
    medianMs: 3 * Hour,
    percentile90Ms: expect.closeTo((4 + 0.6 * (31 - 4)) * Hour) as number,
    open: 2,
    overdue: 1,
    held: 1,
  });
  expect(report.metricsBefore).toMatchObject({ requests: 4, answered: 4, metWithin: 4, medianMs: 0, unfit: 0, held: 0 });
  expect(report.sources).toEqual([
    { value: 'letter', requests: 6, requestsBefore: 4, unfit: 1, medianMs: 2 * Hour },
    { value: '=evil.example', requests: 1, requestsBefore: 0, unfit: 0, medianMs: 3 * Hour },
    { value: null, requests: 1, requestsBefore: 0, unfit: 0, medianMs: 31 * Hour },
  ]);
  expect(report.industries).toEqual([
    { value: 'manufacturing', requests: 6, requestsBefore: 4 },
    { value: 'healthcare', requests: 1, requestsBefore: 0 },
    { value: null, requests: 1, requestsBefore: 0 },
  ]);
  expect(report.answers).toEqual([
    { value: 'anna@sales.example', requests: 2, requestsBefore: 4 },
    { value: null, requests: 2, requestsBefore: 0 },
    { value: 'ben@sales.example', requests: 1, requestsBefore: 0 },
  ]);
});

test('the mail has the metrics in both parts and in a CSV file without formulas, but no visitor data', async () => {
  const { database, setClock, sink, runTask } = await setUpReports();
  await setClock('2026-03-30T06:00:00Z');
  await storeRequests(database);

  await runTask();

  const { subject, text = '', html = '', attachments = [] } = sink.received[0]?.mail ?? {};
  expect(subject).toBe('[Praline] Weekly report: 8 requests');
  for (const line of [
    'Requests: 8 (before: 1)',
    'Answered in time: 4 of 6 (67%) (before: 100%)',
    'Time to an answer, median: 3 h (before: 0 min)',
    'Time to an answer, 90th percentile: 20 h 12 min (before: 0 min)',
    'Requests by source',
    'letter: 6 (before: 1)',
    'letter: 17 (median: 2 h)',
    'Manufacturing: 6 (before: 1)',
    'Not a fit: 1 (before: 0)',
    'Who answered',
    'anna@sales.example: 2 (before: 1)',
    'Unknown: 2 (before: 0)',
  ]) {
    expect(text.replace(/ +/g, ' ').split('\n')).toContain(line);
  }
  expect(text.replace(/\s+/g, ' ')).toContain('Mar 23, 2026 to Mar 29, 2026 (Europe/Vienna)');
  expect(html).toContain('=evil[.]example');
  expect(html, 'an address of ours').toContain('>anna@<wbr>sales.example<');
  const [attachment, ...others] = attachments;
  expect(others).toEqual([]);
  expect(attachment).toMatchObject({ filename: 'report-2026-03-23.csv', mimeType: 'text/csv', disposition: 'attachment' });
  const csv = new TextDecoder().decode(attachment?.content as ArrayBuffer);
  expect(csv.split('\r\n')).toEqual(
    expect.arrayContaining([
      'Metric,Group,2026-03-23 to 2026-03-29,Mean of the four before',
      'Requests,,8,1',
      'Not a fit,,1,0',
      'Answered by,anna@sales.example,2,1',
      '"Hours to an answer, median",,3,0',
      "Requests by source,'=evil.example,1,0",
      '"Not a fit by source, percent",letter,17,',
      '"Hours to an answer by source, median",letter,2,',
      'Requests by industry,Healthcare,1,0',
    ]),
  );
  expect(`${text}${html}${csv}`).not.toMatch(/Ada|Sweets|example\.org|555 0100|invoices/);
});

test('ops report prints the same metrics for any date range, as a table or as JSON, and rejects invalid days', async () => {
  const { database, ops } = await setUpOps({ TIME_ZONE: 'Europe/Vienna' });
  const id = await storeSubmission(database, { received_at: '2026-03-24T09:00:00Z', contacted_at: '2026-03-24T11:00:00Z' });
  await database('submission_events').insert({ submission_id: id, ...anna });

  const days = ['--from', '2026-03-01', '--to', '2026-03-31'];
  const table = await ops('report', ...days);
  expect(table.output).toContain('Requests from 2026-03-01 to 2026-03-31 (Europe/Vienna)');
  for (const row of [/Time to an answer, median\s+│ 2 h\s+│ none/, /letter\s+│ 0%\s+│ 2 h/, /anna@sales\.example\s+│ 1\s+│ 0/]) {
    expect(table.output).toMatch(row);
  }
  expect(JSON.parse((await ops('report', ...days, '--json')).output)).toMatchObject({
    ...{ from: '2026-03-01', to: '2026-03-31', time_zone: 'Europe/Vienna' },
    metrics: { requests: 1, answered_in_time: 1, median_answer_seconds: 7200 },
    metrics_before: { requests: 0, median_answer_seconds: null },
    sources: [{ source: 'letter', requests: 1, requests_before: 0, unfit: 0, median_answer_seconds: 7200 }],
    answers: [{ by: 'anna@sales.example', requests: 1, requests_before: 0 }],
  });
  expect(await ops('report', '--from', '2026-02-30')).toMatchObject({ exitCode: 2 });
  expect(await ops('report', '--from', '2026-03-02', '--to', '2026-03-01')).toMatchObject({
    exitCode: 1,
    errorOutput: expect.stringContaining('last day (2026-03-01) is before the first day (2026-03-02)') as string,
  });
});
