import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { DeliveryError, type FailureResult } from '../../shared/node/deliveries/delivery-error.ts';
import type { DeliveryHandler } from '../../jobs/deliveries/delivery-handler.ts';
import type { DeliveryServices } from '../../jobs/deliveries/delivery-handler.ts';
import { processDelivery } from '../../jobs/deliveries/process-delivery.ts';
import { createFollowUpHandler } from '../../jobs/follow-up/send-follow-up.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { planDeliveries } from '../../shared/deliveries/delivery.ts';
import { insertSubmission } from '../../shared/node/contact/contact-submission-store.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { claimDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import { insertDeliveries, requeueDeliveries } from '../../shared/node/deliveries/delivery-store.ts';
import {
  markDeliverySent,
  recordHandOver,
  recordRemoteStep,
} from '../../shared/node/deliveries/leased-delivery.ts';
import {
  readLongestWaitMs,
  readOldestOverdueMs,
  releaseExpiredLeases,
} from '../../shared/node/deliveries/sweep-queries.ts';
import { holdDeliveries, releaseDeliveries } from '../../shared/node/deliveries/delivery-hold.ts';
import {
  awaitProvider,
  listPauses,
  listServedKinds,
  pauseQueue,
  resumeQueue,
  resumeQueuesAfterStart,
} from '../../shared/node/deliveries/delivery-pauses.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { Hour, Second } from '../../shared/time.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';

let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
});

/** A database with one submission, and its first mail as the delivery under test. */
async function makeDelivery(url = databaseUrl) {
  const database = openDatabase(url, onTestFinished);
  const id = randomUUID();
  const plan = planDeliveries({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour, acknowledges: false, hasChat: false });
  const [delivery] = await database.transaction(async (transaction) => {
    await insertSubmission(transaction, {
      id,
      name: 'Ada',
      email: 'ada@example.org',
      company: 'Sweets',
      phone: null,
      industry: null,
      message: null,
      submittedAt: null,
      bodyHash: 'x',
      source: null,
      visitedPaths: null,
    });

    return insertDeliveries(transaction, { submissionId: id }, plan);
  });
  if (!delivery) throw new Error('There is no delivery.');
  const read = () => database('deliveries').where({ id: delivery.id }).first();

  return { database, submissionId: id, deliveryId: delivery.id, read };
}

function makeServices(database: Database, handler: DeliveryHandler, changes = {}): DeliveryServices {
  return {
    database,
    handlers: { 'follow-up': handler, 'crm-export': handler, newsletter: handler, acknowledgment: handler, chat: handler },
    timings: { ...productionTimings, ...changes },
    logger: createLogger({ level: 'silent', process: 'test' }),
  };
}

const fail =
  (result: FailureResult): DeliveryHandler =>
  () =>
    Promise.reject(new DeliveryError(result, 'test-reason'));
const sent = { remoteRef: 'ref', deferred: [] };
const succeed: DeliveryHandler = () => Promise.resolve(sent);
const limits = { maxExpiries: 10, maxLostResponses: 2 };

describe('a delivery', () => {
  test('is processed once, however often its job runs', async () => {
    const { database, deliveryId, read } = await makeDelivery();
    let count = 0;
    const services = makeServices(database, () => {
      count += 1;

      return Promise.resolve(sent);
    });

    const results = await Promise.all([1, 2, 3].map(() => processDelivery(services, { deliveryId })));
    await processDelivery(services, { deliveryId });

    expect(count).toBe(1);
    expect(results.filter((result) => result === undefined).length).toBeGreaterThan(0);
    expect(await read()).toMatchObject({ state: 'sent', attempts: 1, remote_ref: 'ref' });
  });

  test('that is not due yet is left for its time', async () => {
    const { database, submissionId } = await makeDelivery();
    const due = await database('deliveries').where({ submission_id: submissionId, stage: 'due' }).first();

    const result = await processDelivery(makeServices(database, succeed), { deliveryId: due?.id });

    expect(result?.retryInMs).toBeGreaterThan(24 * Hour - 60 * Second);
    expect(result?.retryInMs).toBeLessThanOrEqual(24 * Hour);
  });

  test('that fails waits for its back-off and keeps its due time', async () => {
    const { database, deliveryId, read } = await makeDelivery();
    const before = await read();

    const result = await processDelivery(makeServices(database, fail('retry')), { deliveryId });

    expect(result?.retryInMs).toBeGreaterThanOrEqual(22_500);
    expect(await read()).toMatchObject({
      state: 'pending',
      attempts: 1,
      due_at: before?.due_at,
      last_error: 'test-reason',
    });
    expect((await processDelivery(makeServices(database, succeed), { deliveryId }))?.retryInMs).toBeGreaterThan(1);
  });

  test('that has failed for 72 hours is dead; one overdue for as long but new to failing is not', async () => {
    for (const [attempts, state] of [
      [1, 'pending'],
      [9, 'dead'],
    ] as const) {
      const { database, deliveryId, read } = await makeDelivery();
      await database('deliveries')
        .where({ id: deliveryId })
        .update({ attempts, due_at: database.raw("now() - interval '73 hours'") });

      await processDelivery(makeServices(database, fail('retry')), { deliveryId });

      expect(await read()).toMatchObject({ state });
    }
  });

  test.each([
    ['answered', { contacted_at: new Date() }, 'contacted'],
    ['erased', { anonymised_at: new Date() }, 'erased'],
  ])('for an %s lead is cancelled without a mail', async (_what, change, reason) => {
    const { database, submissionId, deliveryId, read } = await makeDelivery();
    await database('contact_submissions').where({ id: submissionId }).update(change);
    const handler = createFollowUpHandler(
      database,
      {
        send: () => Promise.reject(new Error('A mail was sent.')),
        verify: () => Promise.resolve(),
        close: () => undefined,
      },
      {
        sales: ['sales@example.com'],
        assignment: 'all',
        siteName: 'Praline',
        publicUrl: 'https://www.example.com',
        timeZone: 'UTC',
        promise: createResponsePromise({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour }),
        linkSecrets: ['s'.repeat(32)],
      },
    );

    await processDelivery(makeServices(database, handler), { deliveryId });

    expect(await read()).toMatchObject({ state: 'cancelled', last_error: reason });
  });

  test('that takes too long is aborted and tried again', async () => {
    const { database, deliveryId, read } = await makeDelivery();
    let isStopped = false;
    const hang: DeliveryHandler = (_delivery, signal) =>
      new Promise(() => {
        signal.addEventListener('abort', () => {
          isStopped = true;
        });
      });

    await processDelivery(makeServices(database, hang, { attempt: 50 }), { deliveryId });

    expect(isStopped).toBe(true);
    expect(await read()).toMatchObject({ state: 'pending', last_error: 'timed-out' });
  });

  test('whose lease has ended can’t be completed by the worker that held it', async () => {
    const { database, deliveryId, read } = await makeDelivery();
    const claimed = await claimDelivery(database, deliveryId, { token: randomUUID(), ms: 1 });
    if (!claimed) throw new Error('It was not claimed.');
    await database.raw('select pg_sleep(0.01)');
    await releaseExpiredLeases(database, limits);

    expect(await markDeliverySent(database, claimed, sent, 0)).toBe(false);
    expect(await read()).toMatchObject({ state: 'pending', lease_expiries: 1 });
  });

  test('of which ten leases expired is dead', async () => {
    const { database, deliveryId, read } = await makeDelivery();

    for (let crash = 1; crash <= 10; crash += 1) {
      expect(await read()).toMatchObject({ state: 'pending' });
      await claimDelivery(database, deliveryId, { token: randomUUID(), ms: 1 });
      await database.raw('select pg_sleep(0.01)');
      await releaseExpiredLeases(database, limits);
    }

    expect(await read()).toMatchObject({ state: 'dead', lease_expiries: 10, maybe_duplicate: false });
  });

  test('that is processed while the database is down is recorded when it is up again', async () => {
    const { database, deliveryId, read } = await makeDelivery();
    let count = 0;
    const handler: DeliveryHandler = async () => {
      count += 1;
      // The next statement on every connection of the pool fails once.
      await openDatabase(databaseUrl, onTestFinished).raw(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test' and pid <> pg_backend_pid() and datname = current_database()",
      );

      return sent;
    };

    await processDelivery(makeServices(database, handler), { deliveryId });

    expect(count).toBe(1);
    expect(await read()).toMatchObject({ state: 'sent' });
  });
});

describe('a kind of delivery', () => {
  /** Two first mails about two submissions, and services whose handler a test controls. */
  async function makeTwo() {
    const url = await createMigratedDatabase();
    const first = await makeDelivery(url);
    const second = await makeDelivery(url);

    return { database: first.database, first, second };
  }

  test('whose other side refuses the credentials is paused, and the attempt doesn’t count', async () => {
    const { database, first, second } = await makeTwo();
    const services = makeServices(database, fail('paused'), { pause: 60 * Second });

    const result = await processDelivery(services, { deliveryId: first.deliveryId });
    const other = await processDelivery(makeServices(database, succeed), {
      deliveryId: second.deliveryId,
    });

    expect(result?.retryInMs).toBeGreaterThanOrEqual(60 * Second);
    expect(await first.read()).toMatchObject({ state: 'pending', attempts: 0, last_error: 'test-reason' });
    expect(other?.retryInMs).toBeGreaterThan(50 * Second);
    expect(await second.read()).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await listPauses(database)).toMatchObject([{ kind: 'follow-up', reason: 'test-reason' }]);

    await resumeQueuesAfterStart(database);
    await processDelivery(makeServices(database, succeed), { deliveryId: second.deliveryId });
    expect(await second.read()).toMatchObject({ state: 'sent' });
  });

  test('whose credentials stay wrong never dies of it', async () => {
    const { database, first } = await makeTwo();
    await database('deliveries')
      .where({ id: first.deliveryId })
      .update({ attempts: 50, due_at: database.raw("now() - interval '100 hours'") });

    await processDelivery(makeServices(database, fail('paused')), { deliveryId: first.deliveryId });

    expect(await first.read()).toMatchObject({ state: 'pending' });
  });

  test('whose other side asks to wait is paused so long, also after a worker’s start', async () => {
    const { database, first, second } = await makeTwo();
    const busy: DeliveryHandler = () =>
      Promise.reject(new DeliveryError('retry', 'crm-429', { kindWaitsMs: 600 * Second }));

    await processDelivery(makeServices(database, busy), { deliveryId: first.deliveryId });
    await resumeQueuesAfterStart(database);
    const other = await processDelivery(makeServices(database, succeed), {
      deliveryId: second.deliveryId,
    });

    expect(await first.read()).toMatchObject({ state: 'pending', attempts: 1 });
    expect(other?.retryInMs).toBeGreaterThan(590 * Second);
    await resumeQueue(database, 'follow-up');
    await processDelivery(makeServices(database, succeed), { deliveryId: second.deliveryId });
    expect(await second.read()).toMatchObject({ state: 'sent' });
  });

  test('raises the alert also when its other side asked to wait shortly before', async () => {
    const { database, first } = await makeTwo();
    const isAlerted = async (reason: string, endsWithRestart: boolean) =>
      pauseQueue(database, 'follow-up', { ms: 60 * Second, reason, endsWithRestart });

    expect(await isAlerted('crm-429', false)).toBe(true);
    expect(await isAlerted('crm-401', true)).toBe(true);
    expect(await isAlerted('crm-401', true)).toBe(false);
    expect((await listPauses(database)).map(({ reason }) => reason)).toEqual(['crm-429', 'crm-401']);

    // The pause that ends with a restart leaves the other one, and is new when it is raised again.
    await resumeQueuesAfterStart(database);
    const again = await processDelivery(makeServices(database, succeed), { deliveryId: first.deliveryId });
    expect(again?.retryInMs).toBeGreaterThan(50 * Second);
    await database('delivery_pauses').update({ until: database.raw('now()') });
    expect(await isAlerted('crm-401', true)).toBe(true);
  });

  test('without a provider stays paused at the start of a worker of an older version, and resumes at the next worker’s start', async () => {
    const { database, first } = await makeTwo();
    await awaitProvider(database, 'follow-up');
    // What the start of a worker of the version before does.
    await database('delivery_pauses').where({ ends_with_restart: true }).delete();

    await processDelivery(makeServices(database, succeed), { deliveryId: first.deliveryId });
    expect(await first.read()).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await listServedKinds(database)).not.toContain('follow-up');

    await resumeQueuesAfterStart(database);
    await processDelivery(makeServices(database, succeed), { deliveryId: first.deliveryId });
    expect(await first.read()).toMatchObject({ state: 'sent' });
  });

  test('without a provider stays paused for as long as its other side asked, once there is one', async () => {
    const { database, first } = await makeTwo();
    await pauseQueue(database, 'follow-up', { ms: 600 * Second, reason: 'crm-429', endsWithRestart: false });

    await awaitProvider(database, 'follow-up');
    expect(await listServedKinds(database)).not.toContain('follow-up');
    await resumeQueuesAfterStart(database);

    expect(await listServedKinds(database)).toContain('follow-up');
    expect(await listPauses(database)).toMatchObject([{ kind: 'follow-up', reason: 'crm-429' }]);
    const later = await processDelivery(makeServices(database, succeed), { deliveryId: first.deliveryId });
    expect(later?.retryInMs).toBeGreaterThan(590 * Second);
  });

  test('that is paused pauses no other', async () => {
    const { database, first, second } = await makeTwo();
    await pauseQueue(database, 'crm-export', { ms: 60 * Second, reason: 'x', endsWithRestart: true });

    for (const { deliveryId, read } of [first, second]) {
      await processDelivery(makeServices(database, succeed), { deliveryId });
      expect(await read()).toMatchObject({ state: 'sent' });
    }
  });
});

describe('a delivery whose response was lost after everything was handed over', () => {
  const loseResponse: DeliveryHandler = () =>
    Promise.reject(new DeliveryError('retry', 'lost', { isAmbiguous: true }));
  const makeReady = (database: Database, id: string) =>
    database('deliveries').where({ id }).update({ retry_at: null });

  test('is tried once more and is marked as a possible duplicate', async () => {
    const { database, deliveryId, read } = await makeDelivery();

    await processDelivery(makeServices(database, loseResponse), { deliveryId });
    expect(await read()).toMatchObject({ state: 'pending', maybe_duplicate: true });
    await makeReady(database, deliveryId);
    await processDelivery(makeServices(database, succeed), { deliveryId });

    expect(await read()).toMatchObject({ state: 'sent', maybe_duplicate: true });
  });

  test('twice is dead: a third try would surely be a duplicate', async () => {
    const { database, deliveryId, read } = await makeDelivery();

    await processDelivery(makeServices(database, loseResponse), { deliveryId });
    await makeReady(database, deliveryId);
    await processDelivery(makeServices(database, loseResponse), { deliveryId });

    expect(await read()).toMatchObject({ state: 'dead', maybe_duplicate: true, last_error: 'lost' });
    expect(await read()).toMatchObject({ lost_answers: 2 });
  });

  test('is tried once more also where a restore had marked it as a possible duplicate', async () => {
    const { database, deliveryId, read } = await makeDelivery(await createMigratedDatabase());
    await holdDeliveries(database, new Date());
    await releaseDeliveries(database);
    expect(await read()).toMatchObject({ state: 'pending', maybe_duplicate: true, lost_answers: 0 });

    await processDelivery(makeServices(database, loseResponse), { deliveryId });
    expect(await read()).toMatchObject({ state: 'pending', lost_answers: 1 });
    await makeReady(database, deliveryId);
    await processDelivery(makeServices(database, loseResponse), { deliveryId });

    expect(await read()).toMatchObject({ state: 'dead', lost_answers: 2 });
  });

  test('is tried once more when an operator requeues it', async () => {
    const { database, deliveryId, read } = await makeDelivery();
    await database('deliveries').where({ id: deliveryId }).update({ state: 'dead', lost_answers: 2 });

    await requeueDeliveries(database, { ids: [deliveryId] });
    await processDelivery(makeServices(database, loseResponse), { deliveryId });

    expect(await read()).toMatchObject({ state: 'pending', lost_answers: 1 });
  });
});

test('a step that is recorded is known to the next try, even when the first one failed', async () => {
  const { database, deliveryId, read } = await makeDelivery();
  const seen: Array<Readonly<Record<string, string>>> = [];
  const handler: DeliveryHandler = async (delivery) => {
    seen.push(delivery.remoteSteps);
    await recordRemoteStep(database, delivery, { step: 'contact', remoteId: '42' });
    await recordRemoteStep(database, delivery, { step: 'note', remoteId: '"7"' });
    throw new DeliveryError('retry', 'test-reason');
  };

  await processDelivery(makeServices(database, handler), { deliveryId });
  await database('deliveries').where({ id: deliveryId }).update({ retry_at: null });
  await processDelivery(makeServices(database, handler), { deliveryId });

  expect(seen).toEqual([{}, { contact: '42', note: '"7"' }]);
  expect(await read()).toMatchObject({ state: 'pending', attempts: 2 });
});

test('a worker whose lease has ended records no step', async () => {
  const { database, deliveryId, read } = await makeDelivery();
  const claimed = await claimDelivery(database, deliveryId, { token: randomUUID(), ms: 1 });
  if (!claimed) throw new Error('It was not claimed.');
  await database.raw('select pg_sleep(0.01)');
  await releaseExpiredLeases(database, limits);

  const isRecorded = await recordRemoteStep(database, claimed, { step: 'a', remoteId: '1' });

  expect(isRecorded).toBe(false);
  expect((await read())?.remote_steps).toEqual({});
});

test('a delivery that waits for its back-off or with its paused kind is overdue, but not stuck', async () => {
  const url = await createMigratedDatabase();
  const { database, submissionId, deliveryId } = await makeDelivery(url);
  await database('deliveries').where({ submission_id: submissionId }).whereNot({ id: deliveryId }).delete();
  const setBack = (change: object) => database('deliveries').where({ id: deliveryId }).update(change);
  await setBack({ due_at: database.raw("now() - interval '1 hour'") });
  expect(await readLongestWaitMs(database)).toBeGreaterThan(3_590 * Second);

  await setBack({ retry_at: database.raw("now() + interval '1 minute'") });
  expect(await readLongestWaitMs(database)).toBe(0);
  expect(await readOldestOverdueMs(database)).toBeGreaterThan(3_590 * Second);

  await setBack({ retry_at: null });
  await pauseQueue(database, 'follow-up', { ms: 60 * Second, reason: 'x', endsWithRestart: true });
  expect(await readLongestWaitMs(database)).toBe(0);

  // When a pause ends, its kind has waited since then and no longer.
  await database('delivery_pauses').update({ until: database.raw("now() - interval '1 minute'") });
  expect(await readLongestWaitMs(database)).toBeLessThan(120 * Second);
});

test('a job without a delivery’s id is dropped', async () => {
  const { database } = await makeDelivery();
  const services = makeServices(database, succeed);

  for (const data of [undefined, {}, { deliveryId: 7 }, { deliveryId: 'not-a-uuid' }]) {
    expect(await processDelivery(services, data)).toBeUndefined();
  }
});

describe('a worker that is killed', () => {
  /** A try whose worker is killed, after the hand-over of its mail or before. */
  async function killOnce(database: Database, id: string, isHandedOver: boolean): Promise<void> {
    const claimed = await claimDelivery(database, id, { token: randomUUID(), ms: 1 });
    if (!claimed) throw new Error('It was not claimed.');
    if (isHandedOver) expect(await recordHandOver(database, claimed)).toBe(true);
    await database.raw('select pg_sleep(0.01)');
    await releaseExpiredLeases(database, limits);
  }

  test('twice after it handed a mail over leaves it dead; before it, that costs nothing', async () => {
    const { database, deliveryId, read } = await makeDelivery();

    await killOnce(database, deliveryId, false);
    expect(await read()).toMatchObject({ state: 'pending', maybe_duplicate: false, lost_answers: 0 });
    await killOnce(database, deliveryId, true);
    expect(await read()).toMatchObject({ state: 'pending', maybe_duplicate: true, lost_answers: 1 });
    expect((await read())?.handed_over_at).not.toBeNull();
    await killOnce(database, deliveryId, false);
    expect(await read()).toMatchObject({ state: 'pending', lost_answers: 1, handed_over_at: null });
    await killOnce(database, deliveryId, true);

    expect(await read()).toMatchObject({ state: 'dead', lease_expiries: 4, lost_answers: 2 });
  });

  test('counts together with a lost response', async () => {
    const { database, deliveryId, read } = await makeDelivery();
    const loseResponse: DeliveryHandler = () =>
      Promise.reject(new DeliveryError('retry', 'lost', { isAmbiguous: true }));

    await processDelivery(makeServices(database, loseResponse), { deliveryId });
    await database('deliveries').where({ id: deliveryId }).update({ retry_at: null });
    await killOnce(database, deliveryId, true);

    expect(await read()).toMatchObject({ state: 'dead', lost_answers: 2 });
  });

  test('over an export leaves it to be searched for and exported', async () => {
    const { database, submissionId } = await makeDelivery();
    const row = await database('deliveries').where({ submission_id: submissionId, kind: 'crm-export' }).first();
    const id = row?.id ?? '';

    for (let kill = 1; kill <= 3; kill += 1) await killOnce(database, id, false);

    expect(await database('deliveries').where({ id }).first()).toMatchObject({
      state: 'pending',
      maybe_duplicate: true,
      attempts: 3,
    });
  });

  test('whose handler never ends gets its result from its record', async () => {
    const { database, deliveryId, read } = await makeDelivery();
    const hangAfterHandOver: DeliveryHandler = async (delivery) => {
      await recordHandOver(database, delivery);

      return new Promise(() => undefined);
    };

    await processDelivery(makeServices(database, hangAfterHandOver, { attempt: 50 }), { deliveryId });

    expect(await read()).toMatchObject({ state: 'pending', last_error: 'timed-out', lost_answers: 1 });
  });
});

describe('while all deliveries are on hold', () => {
  test('a job does nothing and is delayed by a minute, until the release', async () => {
    const { database, deliveryId, read } = await makeDelivery(await createMigratedDatabase());
    const services = makeServices(database, succeed);
    await holdDeliveries(database);

    const result = await processDelivery(services, { deliveryId });
    expect(result?.retryInMs).toBeGreaterThan(50 * Second);
    expect(result?.retryInMs).toBeLessThanOrEqual(60 * Second);
    expect(await read()).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await processDelivery(services, { deliveryId: randomUUID() })).toBeUndefined();

    await releaseDeliveries(database);
    await processDelivery(services, { deliveryId });
    expect(await read()).toMatchObject({ state: 'sent', attempts: 1 });
  });
});
