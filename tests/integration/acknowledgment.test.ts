import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  createAcknowledgmentHandler,
  type AcknowledgmentSettings,
} from '../../jobs/acknowledgment/send-acknowledgment.ts';
import type { DeliveryServices } from '../../jobs/deliveries/delivery-handler.ts';
import { mapKinds } from '../../shared/deliveries/delivery.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { Hour, Second } from '../../shared/time.ts';
import { buildTestApp } from '../support/build-test-app.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { runJob, unobserved } from '../support/delivery-job.ts';
import { storeDelivery, storeSubmission } from '../support/ops-fixture.ts';
import { openMailer } from '../support/open-mailer.ts';
import { startSmtpSink } from '../support/smtp-sink.ts';

let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
});

let lastPerson = 0;

/** Returns an address that no other request uses. */
const makeEmail = () => `person-${(lastPerson += 1)}@example.org`;

/** Sets up a mail server and the worker's handler that sends acknowledgments through it. */
async function setUp(changes: Partial<AcknowledgmentSettings> = {}) {
  const database = openDatabase(databaseUrl, onTestFinished);
  const sink = await startSmtpSink();
  const timings = { ...productionTimings, attempt: 15 * Second };
  const mailer = openMailer(sink.url, 'The Site <site@example.com>');
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
    handlers: { ...mapKinds(() => never), acknowledgment: handler },
  };

  /** Stores a request and its acknowledgment, which is due when the request is received. */
  const store = async (request: { readonly email?: string; readonly received_at?: Date } = {}) => {
    const submission = { email: makeEmail(), received_at: new Date(), ...request };
    const submissionId = await storeSubmission(database, submission);
    const id = await storeDelivery(database, submissionId, {
      ...{ kind: 'acknowledgment', stage: null, due_at: submission.received_at },
    });
    const deliveries = () => database('deliveries').where({ id });

    return {
      id,
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
  test('is sent to the visitor with the sales address as Reply-To, and repeats none of the visitor’s text', async () => {
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
    ['to an address that may belong to a program', { email: 'no-reply@example.org' }, {}, 'automatic-address'],
    ['to the site’s own address', { email: 'site@example.com' }, {}, 'automatic-address'],
    ['if ACKNOWLEDGE was turned off after it was planned', {}, { acknowledges: false }, 'switched-off'],
    ['after the promised time', { received_at: new Date(Date.now() - 25 * Hour) }, {}, 'too-late'],
  ])('is not sent %s', async (_when, request, changes, reason) => {
    const { sink, store } = await setUp(changes);
    const { read, tryNow } = await store(request);

    await tryNow();

    expect(sink.countOffers()).toBe(0);
    expect(await read()).toMatchObject({ state: 'cancelled', last_error: reason });
  });
});

test('an address gets one acknowledgment a day, and a refused attempt doesn’t count', async () => {
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

test('if the mail server permanently refuses an address, the request is marked and the delivery is cancelled', async () => {
  const { sink, store } = await setUp();
  const email = makeEmail();
  sink.refusedRecipients.set(email, 550);
  const { read, readRequest, tryNow } = await store({ email });

  await tryNow();

  expect(await read()).toMatchObject({ state: 'cancelled', last_error: 'smtp-550', handed_over_at: null });
  expect((await readRequest())?.email_refused_at).toBeInstanceOf(Date);
});

test('only the first three requests from a network within an hour get an acknowledgment', async () => {
  const app = await buildTestApp({ DATABASE_URL: databaseUrl });
  onTestFinished(app.close);
  const countPlanned = async (client: string) => {
    const body = makeContactBody();
    expect((await postContact(app, body, client)).status).toBe(201);
    const rows = await app.database('deliveries').where({ submission_id: body.id, kind: 'acknowledgment' });

    return rows.length;
  };
  const planned: number[] = [];
  for (const host of [1, 2, 3, 4]) planned.push(await countPlanned(`198.51.100.${host}`));

  expect(planned).toEqual([1, 1, 1, 0]);
});
