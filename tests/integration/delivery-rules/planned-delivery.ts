import { beforeAll, onTestFinished } from 'vitest';
import type { DeliveryHandler, DeliveryServices } from '../../../jobs/deliveries/delivery-handler.ts';
import { mapKinds } from '../../../shared/deliveries/delivery.ts';
import { productionTimings } from '../../../shared/node/config/timings.ts';
import type { Database } from '../../../shared/node/database/database.ts';
import { DeliveryError, type FailureResult } from '../../../shared/node/outbound/delivery-error.ts';
import { createLogger } from '../../../shared/node/logging/logger.ts';
import { createMigratedDatabase, openDatabase } from '../../support/database.ts';
import { unobserved } from '../../support/delivery-job.ts';
import { storePlannedRequest } from '../../support/stored-requests.ts';

/** The database that a file's tests share. */
export let databaseUrl: string;

/** Sets up a database that a file's tests share. */
export function setUpDatabase(): void {
  beforeAll(async () => {
    databaseUrl = await createMigratedDatabase();
  });
}

/** A database with one submission, and its first mail as the delivery under test. */
export async function makeDelivery(url = databaseUrl) {
  const database = openDatabase(url, onTestFinished);
  const { submissionId, deliveries: [delivery] } = await storePlannedRequest(database);
  if (!delivery) throw new Error('There is no delivery.');
  const read = () => database('deliveries').where({ id: delivery.id }).first();

  return { database, submissionId, deliveryId: delivery.id, read };
}

/** The services of a worker with the same handler for every kind, without rate limits. */
export function makeServices(database: Database, handler: DeliveryHandler, changes = {}): DeliveryServices {
  return {
    ...unobserved,
    database,
    handlers: mapKinds(() => handler),
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
