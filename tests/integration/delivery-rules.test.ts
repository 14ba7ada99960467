import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { DeliveryError } from '../../jobs/deliveries/delivery-error.ts';
import { runDelivery, type DeliveryServices, type Effect } from '../../jobs/deliveries/run-delivery.ts';
import { makeFollowUpEffect } from '../../jobs/follow-up/send-follow-up.ts';
import { productionTimings } from '../../jobs/timings.ts';
import { planDeliveries } from '../../shared/deliveries/delivery.ts';
import { insertSubmission } from '../../shared/node/contact/contact-submission-store.ts';
import type { Database } from '../../shared/node/database.ts';
import { claimDelivery, insertDeliveries, markDeliverySent } from '../../shared/node/deliveries/delivery-store.ts';
import { releaseExpiredLeases } from '../../shared/node/deliveries/delivery-upkeep.ts';
import { createLogger } from '../../shared/node/logger.ts';
import { Hour, Second } from '../../shared/time.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';

let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
});

/** A database with one submission, and its first mail as the delivery under test. */
async function makeDelivery() {
  const database = openDatabase(databaseUrl, onTestFinished);
  const id = randomUUID();
  const plan = planDeliveries({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour, hasCrm: false });
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
    });

    return insertDeliveries(transaction, { submissionId: id }, plan);
  });
  if (!delivery) throw new Error('There is no delivery.');
  const read = () => database('deliveries').where({ id: delivery.id }).first();

  return { database, submissionId: id, deliveryId: delivery.id, read };
}

function makeServices(database: Database, effect: Effect, changes = {}): DeliveryServices {
  return {
    database,
    effects: { 'follow-up': effect, 'crm-export': effect, newsletter: effect },
    timings: { ...productionTimings, ...changes },
    logger: createLogger({ level: 'silent', process: 'test' }),
  };
}

const fail =
  (verdict: 'retry' | 'dead' | 'cancelled'): Effect =>
  () =>
    Promise.reject(new DeliveryError(verdict, 'as-told'));
const succeed: Effect = () => Promise.resolve('ref');

describe('a delivery', () => {
  test('is done once, however often its job runs', async () => {
    const { database, deliveryId, read } = await makeDelivery();
    let count = 0;
    const services = makeServices(database, () => {
      count += 1;

      return Promise.resolve('ref');
    });

    const results = await Promise.all([1, 2, 3].map(() => runDelivery(services, { deliveryId })));
    await runDelivery(services, { deliveryId });

    expect(count).toBe(1);
    expect(results.filter((result) => result === undefined).length).toBeGreaterThan(0);
    expect(await read()).toMatchObject({ state: 'sent', attempts: 1, remote_ref: 'ref' });
  });

  test('that is not due yet is left for its time', async () => {
    const { database, submissionId } = await makeDelivery();
    const due = await database('deliveries').where({ submission_id: submissionId, stage: 'due' }).first();

    const result = await runDelivery(makeServices(database, succeed), { deliveryId: due?.id });

    expect(result?.runAgainInMs).toBeGreaterThan(24 * Hour - 60 * Second);
    expect(result?.runAgainInMs).toBeLessThanOrEqual(24 * Hour);
  });

  test('that fails waits for its back-off and keeps its due time', async () => {
    const { database, deliveryId, read } = await makeDelivery();
    const before = await read();

    const result = await runDelivery(makeServices(database, fail('retry')), { deliveryId });

    expect(result?.runAgainInMs).toBeGreaterThanOrEqual(22_500);
    expect(await read()).toMatchObject({
      state: 'pending',
      attempts: 1,
      due_at: before?.due_at,
      last_error: 'as-told',
    });
    expect((await runDelivery(makeServices(database, succeed), { deliveryId }))?.runAgainInMs).toBeGreaterThan(1);
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

      await runDelivery(makeServices(database, fail('retry')), { deliveryId });

      expect(await read()).toMatchObject({ state });
    }
  });

  test.each([
    ['answered', { contacted_at: new Date() }, 'contacted'],
    ['erased', { anonymised_at: new Date() }, 'erased'],
  ])('for an %s lead is called off without a mail', async (_what, change, reason) => {
    const { database, submissionId, deliveryId, read } = await makeDelivery();
    await database('contact_submissions').where({ id: submissionId }).update(change);
    const effect = makeFollowUpEffect(
      database,
      {
        send: () => Promise.reject(new Error('A mail was sent.')),
        verify: () => Promise.resolve(),
        close: () => undefined,
      },
      {
        sales: ['sales@example.com'],
        siteName: 'Praline',
        publicUrl: 'https://www.example.com',
        timeZone: 'UTC',
        dueAfter: 24 * Hour,
        linkSecrets: ['s'.repeat(32)],
      },
    );

    await runDelivery(makeServices(database, effect), { deliveryId });

    expect(await read()).toMatchObject({ state: 'cancelled', last_error: reason });
  });

  test('that takes too long is told to stop and tried again', async () => {
    const { database, deliveryId, read } = await makeDelivery();
    let isStopped = false;
    const hang: Effect = (_delivery, signal) =>
      new Promise(() => {
        signal.addEventListener('abort', () => {
          isStopped = true;
        });
      });

    await runDelivery(makeServices(database, hang, { effect: 50 }), { deliveryId });

    expect(isStopped).toBe(true);
    expect(await read()).toMatchObject({ state: 'pending', last_error: 'timed-out' });
  });

  test('whose lease has ended can’t be finished by the one who held it', async () => {
    const { database, deliveryId, read } = await makeDelivery();
    const claim = await claimDelivery(database, deliveryId, { token: randomUUID(), ms: 1 });
    if (claim.outcome !== 'claimed') throw new Error('It was not claimed.');
    await database.raw('select pg_sleep(0.01)');
    await releaseExpiredLeases(database, 10);

    expect(await markDeliverySent(database, claim.delivery, null)).toBe(false);
    expect(await read()).toMatchObject({ state: 'pending', lease_expiries: 1 });
  });

  test('over which ten workers went silent is dead', async () => {
    const { database, deliveryId, read } = await makeDelivery();

    for (let crash = 1; crash <= 10; crash += 1) {
      expect(await read()).toMatchObject({ state: 'pending' });
      await claimDelivery(database, deliveryId, { token: randomUUID(), ms: 1 });
      await database.raw('select pg_sleep(0.01)');
      await releaseExpiredLeases(database, 10);
    }

    expect(await read()).toMatchObject({ state: 'dead', lease_expiries: 10 });
  });

  test('that is done while the database is away is recorded when it is back', async () => {
    const { database, deliveryId, read } = await makeDelivery();
    let sent = 0;
    const effect: Effect = async () => {
      sent += 1;
      // The next statement on every connection of the pool fails once.
      await openDatabase(databaseUrl, onTestFinished).raw(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test' and pid <> pg_backend_pid() and datname = current_database()",
      );

      return 'ref';
    };

    await runDelivery(makeServices(database, effect), { deliveryId });

    expect(sent).toBe(1);
    expect(await read()).toMatchObject({ state: 'sent' });
  });
});

test('a job without a delivery’s id is dropped', async () => {
  const { database } = await makeDelivery();
  const services = makeServices(database, succeed);

  for (const data of [undefined, {}, { deliveryId: 7 }, { deliveryId: 'not-a-uuid' }]) {
    expect(await runDelivery(services, data)).toBeUndefined();
  }
});
