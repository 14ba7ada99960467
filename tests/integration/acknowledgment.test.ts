import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  createAcknowledgmentHandler,
  type AcknowledgmentSettings,
} from '../../jobs/acknowledgment/send-acknowledgment.ts';
import type { DeliveryServices } from '../../jobs/deliveries/delivery-handler.ts';
import { mapKinds } from '../../shared/deliveries/delivery.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { applyOutcome } from '../../shared/node/follow-up/apply-outcome.ts';
import { eraseSubmissions } from '../../shared/node/erasure/erase-submissions.ts';
import { releaseSubmission } from '../../shared/node/held-requests/held-requests.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { createSmtpMailer } from '../../shared/node/mail/smtp-mailer.ts';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { Hour, Minute, Second } from '../../shared/time.ts';
import { buildTestApp } from '../support/build-test-app.ts';
import { makeClient, makeContactBody, postContact } from '../support/contact-request.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { runJob, unobserved } from '../support/delivery-job.ts';
import { storeDelivery, storeSubmission } from '../support/ops-fixture.ts';
import { startSmtpSink } from '../support/smtp-sink.ts';

let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
});

const logger = createLogger({ level: 'silent', process: 'test' });

let lastPerson = 0;

/** A new address. */
const makeEmail = () => `person-${(lastPerson += 1)}@example.org`;

/** Sets up a mail server and the worker's handler that sends acknowledgments through it. */
async function setUp(changes: Partial<AcknowledgmentSettings> = {}) {
  const database = openDatabase(databaseUrl, onTestFinished);
  const sink = await startSmtpSink();
  const timings = { ...productionTimings, attempt: 15 * Second };
  const mailer = createSmtpMailer(sink.url, 'The Site <site@example.com>', timings.smtp, logger);
  onTestFinished(async () => {
    mailer.close();
    await sink.close();
  });
  const handler = createAcknowledgmentHandler(database, mailer, {
    acknowledges: true,
    siteName: 'Praline',
    publicUrl: 'https://www.example.com',
    bookingUrl: undefined,
    from: 'The Site <site@example.com>',
    sales: ['Sales <sales@example.com>', 'owner@example.com'],
    timeZone: 'UTC',
    promise: createResponsePromise({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour }),
    ...changes,
  });
  const never = () => Promise.reject(new Error('Not sent here.'));
  const services: DeliveryServices = {
    ...unobserved,
    database,
    timings,
    logger,
    handlers: { ...mapKinds(() => never), acknowledgment: handler },
  };

  /** Stores a request and its acknowledgment, which is due now. */
  const store = async (request: Record<string, unknown> = {}) => {
    const submissionId = await storeSubmission(database, { email: makeEmail(), ...request });
    const id = await storeDelivery(database, submissionId, { kind: 'acknowledgment', stage: null });
    const deliveries = () => database('deliveries').where({ id });

    return {
      id,
      submissionId,
      deliveries,
      read: () => deliveries().first(),
      readRequest: () => database('contact_submissions').where({ id: submissionId }).first(),
      /** Makes one attempt without waiting for the back-off. */
      tryNow: async () => {
        await deliveries().update({ retry_at: null });
        await runJob(services, { deliveryId: id });
      },
    };
  };

  return { database, sink, store };
}

describe('the acknowledgment', () => {
  test('goes to the visitor, has sales as its reply address, and repeats none of the visitor’s text', async () => {
    const { sink, store } = await setUp();
    const { id, read, tryNow } = await store({ email: 'Zoe@Example.org' });

    await tryNow();
    await tryNow();

    const [{ mail, header } = {}, ...others] = sink.received;
    expect(others).toEqual([]);
    expect(mail).toMatchObject({
      subject: '[Praline] We have your request',
      messageId: `<acknowledgment-${id}@example.com>`,
      from: { name: 'The Site', address: 'site@example.com' },
      to: [{ name: '', address: 'Zoe@example.org' }],
      replyTo: [{ name: 'Sales', address: 'sales@example.com' }],
    });
    expect(header?.('Auto-Submitted')).toBe('auto-generated');
    expect(header?.('X-Auto-Response-Suppress')).toBe('OOF, AutoReply');
    expect(header?.('X-Delivery-Stage')).toBe('acknowledgment');
    const content = `${mail?.subject}${mail?.text}${mail?.html}`;
    for (const typed of ['Ada', 'Sweets', '555', 'Mondays', 'anufacturing', 'letter', 'Zoe', 'zoe']) {
      expect(content).not.toContain(typed);
    }
    expect(await read()).toMatchObject({ state: 'sent', attempts: 1 });
  });

  test.each([
    ['no-reply@example.org', {}],
    ['Mailer-Daemon@example.org', {}],
    ['postmaster@example.org', {}],
    ['site@example.com', {}],
  ])('is not sent to %s, where a program may answer', async (email) => {
    const { sink, store } = await setUp();
    const { read, tryNow } = await store({ email });

    await tryNow();

    expect(sink.countOffers()).toBe(0);
    expect(await read()).toMatchObject({ state: 'cancelled', last_error: 'automatic-address' });
  });

  test('is not sent if ACKNOWLEDGE is off, even if it was planned before', async () => {
    const { sink, store } = await setUp({ acknowledges: false });
    const { read, tryNow } = await store();

    await tryNow();

    expect(sink.countOffers()).toBe(0);
    expect(await read()).toMatchObject({ state: 'cancelled', last_error: 'switched-off' });
  });

  test('is not sent after the promised time', async () => {
    const { sink, store } = await setUp();
    const received_at = new Date(Date.now() - 25 * Hour);
    const { read, deliveries, tryNow } = await store({ received_at });
    await deliveries().update({ due_at: received_at });

    await tryNow();

    expect(sink.countOffers()).toBe(0);
    expect(await read()).toMatchObject({ state: 'cancelled', last_error: 'too-late' });
  });

  test('is not sent once sales has answered or the request is erased', async () => {
    const { database, sink, store } = await setUp();
    const [answered, erased] = [await store(), await store()];
    await applyOutcome(database, answered.submissionId, { what: 'contacted' }, { address: null, isKnown: true });
    await eraseSubmissions(database, [erased.submissionId]);

    for (const one of [answered, erased]) await one.tryNow();

    expect(sink.countOffers()).toBe(0);
    expect(await answered.read()).toMatchObject({ state: 'cancelled', attempts: 0 });
    expect(await erased.read()).toMatchObject({ state: 'cancelled', last_error: 'erased' });
  });
});

describe('an address gets one a day', () => {
  test('however often and in whatever spelling it is entered, and the next one a day later', async () => {
    const { sink, store } = await setUp();
    const first = await store({ email: 'ida@bücher.example' });
    const others = [await store({ email: 'IDA@xn--bcher-kva.EXAMPLE' }), await store({ email: 'ida+1@bücher.example' })];
    const [third, fourth] = [await store({ email: 'ida@bücher.example' }), await store({ email: 'ida@BÜCHER.example' })];

    await first.tryNow();
    for (const other of others) {
      await other.tryNow();
      expect(await other.read()).toMatchObject({ state: 'cancelled', last_error: 'acknowledged-before' });
    }
    await first.deliveries().update({ handed_over_at: new Date(Date.now() - 24 * Hour + 1 * Minute) });
    await third.tryNow();
    expect(await third.read()).toMatchObject({ state: 'cancelled', last_error: 'acknowledged-before' });
    await first.deliveries().update({ handed_over_at: new Date(Date.now() - 24 * Hour) });
    await fourth.tryNow();

    expect(sink.received).toHaveLength(2);
    expect(await fourth.read()).toMatchObject({ state: 'sent' });
  });

  test('and a refused one doesn’t count', async () => {
    const { sink, store } = await setUp();
    const email = makeEmail();
    const [first, second] = [await store({ email }), await store({ email })];
    sink.faults.push({ kind: 'refuse', code: 451 });

    await first.tryNow();
    await second.tryNow();
    await first.tryNow();

    expect(await second.read()).toMatchObject({ state: 'sent' });
    expect(await first.read()).toMatchObject({ state: 'cancelled', last_error: 'acknowledged-before' });
  });
});

describe('an address that the mail server refuses', () => {
  test('permanently is marked on its request, and the delivery is cancelled', async () => {
    const { sink, store } = await setUp();
    const email = makeEmail();
    sink.refusedRecipients.set(email, 550);
    const { read, readRequest, tryNow } = await store({ email });

    await tryNow();

    expect(await read()).toMatchObject({ state: 'cancelled', last_error: 'smtp-550', handed_over_at: null });
    expect((await readRequest())?.email_refused_at).toBeInstanceOf(Date);
  });
});

describe('a request gets its acknowledgment', () => {
  const isPlanned = async (app: Awaited<ReturnType<typeof buildTestApp>>, id: string) =>
    (await app.database('deliveries').where({ submission_id: id, kind: 'acknowledgment' })).length === 1;

  test('three times an hour per network, and a repeated request counts once', async () => {
    const app = await buildTestApp({ DATABASE_URL: databaseUrl });
    onTestFinished(app.close);
    const planned: boolean[] = [];

    for (let count = 1; count <= 4; count += 1) {
      const body = makeContactBody();
      for (let repeat = 1; repeat <= 3; repeat += 1) {
        expect((await postContact(app, body, `198.51.100.${count}`)).ok).toBe(true);
      }
      planned.push(await isPlanned(app, body.id));
    }
    const elsewhere = makeContactBody();
    await postContact(app, elsewhere, makeClient());

    expect(planned).toEqual([true, true, true, false]);
    expect(await isPlanned(app, elsewhere.id)).toBe(true);
  });

  test('only after its release if it is held, and not at all if ACKNOWLEDGE is off', async () => {
    const app = await buildTestApp({ DATABASE_URL: databaseUrl });
    const silent = await buildTestApp({ DATABASE_URL: databaseUrl, ACKNOWLEDGE: 'off' });
    onTestFinished(app.close);
    onTestFinished(silent.close);
    const [held, unasked] = [makeContactBody({ spam: { honeypot: 'x' } }), makeContactBody()];
    await postContact(app, held, makeClient());
    await postContact(silent, unasked, makeClient());

    expect(await isPlanned(app, held.id)).toBe(false);
    expect(await isPlanned(app, unasked.id)).toBe(false);
    await app.database.transaction((transaction) =>
      releaseSubmission(transaction, held.id, [{ kind: 'acknowledgment', stage: null, dueAfter: 0 }]),
    );
    expect(await isPlanned(app, held.id)).toBe(true);
  });
});
