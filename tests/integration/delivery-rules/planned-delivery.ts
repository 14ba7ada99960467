import { randomUUID } from 'node:crypto';
import { beforeAll, onTestFinished } from 'vitest';
import type { DeliveryHandler, DeliveryServices } from '../../../jobs/deliveries/delivery-handler.ts';
import { planDeliveries } from '../../../shared/deliveries/delivery.ts';
import { productionTimings } from '../../../shared/node/config/timings.ts';
import { insertSubmission } from '../../../shared/node/contact/contact-submission-store.ts';
import type { Database } from '../../../shared/node/database/database.ts';
import { DeliveryError, type FailureResult } from '../../../shared/node/deliveries/delivery-error.ts';
import { insertDeliveries } from '../../../shared/node/deliveries/delivery-store.ts';
import { createLogger } from '../../../shared/node/logging/logger.ts';
import { Hour } from '../../../shared/time.ts';
import { createMigratedDatabase, openDatabase } from '../../support/database.ts';

/** The database of the tests of a file. */
export let databaseUrl: string;

/** Gives a file a database that its tests share. */
export function setUpDatabase(): void {
  beforeAll(async () => {
    databaseUrl = await createMigratedDatabase();
  });
}

/** A database with one submission, and its first mail as the delivery under test. */
export async function makeDelivery(url = databaseUrl) {
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

/** The services of a worker with the same handler for every kind, without rate limits. */
export function makeServices(database: Database, handler: DeliveryHandler, changes = {}): DeliveryServices {
  return {
    database,
    handlers: { 'follow-up': handler, 'crm-export': handler, newsletter: handler, acknowledgment: handler, chat: handler },
    timings: { ...productionTimings, ...changes },
    logger: createLogger({ level: 'silent', process: 'test' }),
  };
}

export const fail =
  (result: FailureResult): DeliveryHandler =>
  () =>
    Promise.reject(new DeliveryError(result, 'test-reason'));
export const sent = { remoteRef: 'ref', deferred: [] };
export const succeed: DeliveryHandler = () => Promise.resolve(sent);
export const limits = { maxExpiries: 10, maxLostResponses: 2 };
