import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeDigest, type DigestSettings } from '../../jobs/digest/send-digest.ts';
import { subscribeToAlerts } from '../../shared/node/logging/raised-alerts.ts';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { createSmtpMailer } from '../../shared/node/mail/smtp-mailer.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { Hour, Second } from '../../shared/time.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { setUpDeliveries } from '../support/delivery-fixture.ts';
import { openWorker } from '../support/open-site.ts';
import { startSmtpSink, type SinkFault } from '../support/smtp-sink.ts';
import { waitFor } from '../support/wait-for.ts';

const logger = createLogger({ level: 'silent', process: 'test' });
const ALWAYS = 0;
const NEVER_TODAY = 24 * 60;

async function setUp(faults: readonly SinkFault[] = []) {
  const database = openDatabase(await createMigratedDatabase(), onTestFinished);
  const sink = await startSmtpSink();
  sink.faults.push(...faults);
  const timings = { ...productionTimings, attempt: 1.5 * Second };
  const mailer = createSmtpMailer(sink.url, 'site@example.com', timings.smtp, logger);
  onTestFinished(async () => {
    mailer.close();
    await sink.close();
  });
  const addRequest = async (company: string, hoursAgo: number, changes = {}) => {
    const id = randomUUID();
    await database('contact_submissions').insert({
      id,
      name: 'Ada Example',
      email: 'ada@example.org',
      company,
      submitted_at: database.fn.now(),
      received_at: database.raw("now() - ? * interval '1 hour'", [hoursAgo]),
      ...changes,
    });

    return id;
  };
  /** What one worker does at each round. */
  const makeTask = (changes: Partial<DigestSettings> = {}) =>
    makeDigest(
      { database, mailer, timings, logger },
      {
        siteName: 'Praline',
        publicUrl: 'https://www.example.com',
        linkSecrets: ['s'.repeat(32)],
        sales: ['sales@example.com', 'owner@example.com'],
        timeZone: 'UTC',
        digestAt: ALWAYS,
        promise: createResponsePromise({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour }),
        ...changes,
      },
    );
  const endLease = () => database('digests').update({ lease_until: database.raw("now() - interval '1 second'") });

  return { database, sink, addRequest, makeTask, endLease };
}

test('the digest lists what is open, the overdue first, and nothing that is completed', async () => {
  const { database, sink, addRequest, makeTask } = await setUp();
  await addRequest('Open Sweets', 2);
  await addRequest('Late Sweets', 30, { assigned_to: 'anna@sales.example' });
  await addRequest('Released Sweets', 40, { released_at: database.fn.now() });
  await addRequest('Answered Sweets', 30, { contacted_at: database.fn.now() });
  await addRequest('Forgotten Sweets', 30, { anonymised_at: database.fn.now() });
  const heldId = await addRequest('Held Sweets', 30, { quarantined_at: database.fn.now() });
  await database('deliveries').insert({
    id: randomUUID(),
    submission_id: heldId,
    kind: 'crm-export',
    due_at: database.fn.now(),
    state: 'dead',
  });

  await makeTask()();

  const [digest] = sink.received;
  const text = digest?.mail.text ?? '';
  expect(digest?.mail.subject).toBe('[Praline] Open requests: 3, 1 overdue');
  expect(digest?.mail.to?.map(({ address }) => address)).toEqual(['sales@example.com', 'owner@example.com']);
  expect(text.match(/^(?:\w+ Sweets|Overdue|Open)$/gm)).toEqual([
    'Overdue',
    'Late Sweets',
    'Open',
    'Open Sweets',
    'Released Sweets',
  ]);
  expect(text.match(/^Overdue since: /gm)).toHaveLength(1);
  expect(text.match(/^Answer by: /gm)).toHaveLength(2);
  for (const form of [text, digest?.mail.html]) expect(form).toMatch(/With:\s+(?:<span dir="auto">)?anna@sales\.example/);
  expect(text.match(/^Mark as contacted: https:\/\/www\.example\.com\/follow-up\/\S+$/gm)).toHaveLength(3);
  expect(text.replace(/\s+/g, ' ')).toContain(
    '1 request is held as possible spam: the mail about them has the links. For operations: 1 delivery has failed for good.',
  );
});

test('of several workers one sends the digest, and none sends a second one', async () => {
  const { database, sink, addRequest, makeTask, endLease } = await setUp();
  await addRequest('Sweets', 2);
  const tasks = Array.from({ length: 5 }, () => makeTask());

  await Promise.all(tasks.map((task) => task()));
  await endLease();
  await Promise.all(tasks.map((task) => task()));

  expect(sink.received).toHaveLength(1);
  const [row, ...others] = await database('digests').select<
    Array<{ day: string; sent_at: Date | null }>
  >(database.raw('day::text'), 'sent_at');
  expect(others).toEqual([]);
  expect(row?.sent_at).not.toBeNull();
  expect(sink.received[0]?.mail.messageId).toBe(`<digest-${row?.day}@example.com>`);
});

test('the digest waits for its time', async () => {
  const { database, sink, addRequest, makeTask } = await setUp();
  await addRequest('Sweets', 2);

  await makeTask({ digestAt: NEVER_TODAY })();

  expect(sink.countOffers()).toBe(0);
  expect(await database('digests')).toEqual([]);
});

test('the day is the configured time zone’s', async () => {
  const { database, addRequest, makeTask } = await setUp();
  await addRequest('Sweets', 2);

  // A day and an hour apart: never the same date.
  await makeTask({ timeZone: 'Pacific/Kiritimati' })();
  await makeTask({ timeZone: 'Pacific/Niue' })();

  expect(await database('digests')).toHaveLength(2);
});

test('a day with nothing to list completes without a mail', async () => {
  const { database, sink, addRequest, makeTask, endLease } = await setUp();

  await makeTask()();
  await addRequest('Sweets', 2);
  await endLease();
  await makeTask()();

  expect(sink.countOffers()).toBe(0);
  expect((await database('digests').first())?.sent_at).not.toBeNull();
});

test.each([
  ['refused for now', { kind: 'refuse', code: 451 }],
  ['refused permanently', { kind: 'refuse', code: 550 }],
  ['met with silence', { kind: 'hang-before' }],
] as const)('a digest that is %s is tried again later, and sent once', async (_what, fault) => {
  const { database, sink, addRequest, makeTask, endLease } = await setUp([fault]);
  await addRequest('Sweets', 2);
  const task = makeTask();

  await task();
  await task();
  expect(sink.received).toHaveLength(0);
  expect(await database('digests').first()).toMatchObject({ attempts: 1, sent_at: null });
  await endLease();
  await task();
  await endLease();
  await task();

  expect(sink.received).toHaveLength(1);
});

test('a digest that failed while the clock was ahead is tried again once it is right', async () => {
  const { database, sink, addRequest, makeTask } = await setUp([{ kind: 'refuse', code: 451 }]);
  await addRequest('Sweets', 2);
  const task = makeTask();
  await task();
  await database('digests').update({ lease_until: database.raw("now() + interval '2 hours'") });

  await task();

  expect(sink.received).toHaveLength(1);
});

test('a digest refused for what one visitor typed is sent at once without any names', async () => {
  const { sink, addRequest, makeTask } = await setUp();
  await addRequest('Refused Sweets', 2);
  await addRequest('Other Sweets', 30);
  sink.refusedWords.set('Refused Sweets', 554);

  await makeTask()();
  await makeTask()();

  expect(sink.received).toHaveLength(1);
  const text = sink.received[0]?.mail.text ?? '';
  expect(text.match(/follow-up\//g)).toHaveLength(2);
  expect(text).toContain('names who asked');
  expect(text).not.toMatch(/Sweets|Ada/);
});

test('a digest lists as many requests as mail programs show, and counts the others', async () => {
  const { sink, addRequest, makeTask } = await setUp();
  const name = '&"'.repeat(100);
  for (let count = 0; count < 50; count += 1) await addRequest(name, 2, { name });

  await makeTask()();

  const { html = '', text = '' } = sink.received[0]?.mail ?? {};
  expect(Buffer.byteLength(html)).toBeLessThanOrEqual(102_000);
  const listed = text.match(/follow-up\//g)?.length ?? 0;
  expect(listed).toBeGreaterThan(10);
  expect(text).toContain(`And ${50 - listed} more.`);
});

describe('a mailbox that refuses the digest for the moment, while another takes it', () => {
  const DEFERRED = 'owner@example.com';

  async function deferOne() {
    const fixture = await setUp();
    const { sink, addRequest, makeTask } = fixture;
    sink.refusedRecipients.set(DEFERRED, 450);
    await addRequest('Sweets', 2);
    const task = makeTask();
    await task();
    await task();
    expect(sink.countOffers()).toBe(1);
    const alerts: string[] = [];
    onTestFinished(subscribeToAlerts(({ name }) => alerts.push(name)));

    return { ...fixture, task, alerts };
  }

  test('gets it alone, under the same Message-ID, once it takes mails again; who has it hears nothing more', async () => {
    const { sink, task, endLease, alerts } = await deferOne();
    await endLease();
    await task();
    expect(alerts).toEqual(['recipient-deferred']);
    sink.refusedRecipients.clear();
    for (let rounds = 0; rounds < 2; rounds += 1) {
      await endLease();
      await task();
    }

    const [whole, alone, ...others] = sink.received;
    expect(others).toEqual([]);
    expect(alone?.mail.to?.map(({ address }) => address)).toEqual([DEFERRED]);
    expect(alone?.mail.messageId).toBe(whole?.mail.messageId);
  });

  test('is tried alone again when the mail is refused that time', async () => {
    const { sink, task, endLease } = await deferOne();
    sink.refusedRecipients.clear();
    sink.faults.push({ kind: 'refuse', code: 451 });
    for (let rounds = 0; rounds < 3; rounds += 1) {
      await endLease();
      await task();
    }

    expect(sink.received.map(({ mail }) => mail.to?.length)).toEqual([2, 1]);
    expect(sink.countOffers()).toBe(3);
  });

  test('gets it once at most, also when the response is lost', async () => {
    const { sink, task, endLease } = await deferOne();
    sink.refusedRecipients.clear();
    sink.faults.push({ kind: 'cut-after' });
    for (let rounds = 0; rounds < 2; rounds += 1) {
      await endLease();
      await task();
    }

    expect(sink.received).toHaveLength(2);
  });

  test('is tried no more once it refuses permanently, or three days later', async () => {
    const refused = await deferOne();
    refused.sink.refusedRecipients.set(DEFERRED, 550);
    const late = await deferOne();
    await late.database('digests').update({ sent_at: late.database.raw("now() - interval '72 hours'") });
    for (const { task, endLease } of [refused, refused, late]) {
      await endLease();
      await task();
    }

    expect(refused.sink.countOffers()).toBe(2);
    expect(refused.alerts).toEqual(['recipient-refused']);
    expect(late.sink.countOffers()).toBe(1);
  });

  test('gets none any more when it is no mailbox of sales', async () => {
    const { sink, makeTask, endLease } = await deferOne();
    await endLease();
    await makeTask({ sales: ['Sales <sales@example.com>', 'new@example.com'] })();

    expect(sink.countOffers()).toBe(1);
  });
});

test('a digest whose response is lost is not sent twice', async () => {
  const { sink, addRequest, makeTask, endLease } = await setUp([{ kind: 'cut-after' }]);
  await addRequest('Sweets', 2);
  const task = makeTask();

  await task();
  await endLease();
  await task();

  expect(sink.received).toHaveLength(1);
});

test('a digest whose worker hangs after the hand-over is not sent twice', async () => {
  const { sink, addRequest, makeTask, endLease } = await setUp([{ kind: 'hang-after' }]);
  await addRequest('Sweets', 2);

  const silent = makeTask()();
  await waitFor('the digest to be taken', () => sink.received.length === 1);
  await endLease();
  await makeTask()();
  await silent;

  expect(sink.received).toHaveLength(1);
});

test('a long list ends after fifty and gives the number of the others', async () => {
  const { sink, addRequest, makeTask } = await setUp();
  for (let hours = 1; hours <= 53; hours += 1) await addRequest(`Sweets ${hours}`, hours);

  await makeTask()();

  const [digest] = sink.received;
  expect(digest?.mail.subject).toBe('[Praline] Open requests: 53, 30 overdue');
  expect(digest?.mail.text?.match(/^Mark as contacted: /gm)).toHaveLength(50);
  expect(digest?.mail.text).toContain('And 3 more.');
  // Gmail cuts off what is longer.
  expect(digest?.mail.html?.length).toBeLessThan(102_000);
});

test('the worker sends the digest without a command, beside its other work', async () => {
  const { settings, database, sink } = await setUpDeliveries({ DIGEST_AT: '0' });
  await database('contact_submissions').insert({
    id: randomUUID(),
    name: 'Ada Example',
    email: 'ada@example.org',
    company: 'Sweets',
    submitted_at: database.fn.now(),
  });

  const worker = await openWorker(settings);
  await waitFor('the digest', () => sink.received.length === 1);

  // The mails are due after seconds here: by now it may be overdue.
  expect(sink.received[0]?.mail.subject).toMatch(/^\[Praline\] Open requests: 1, [01] overdue$/);
  expect(worker.output()).not.toMatch(/Ada|Sweets/);
});
