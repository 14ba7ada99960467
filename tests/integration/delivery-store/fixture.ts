import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach } from 'vitest';
import { createDatabase, type Database } from '../../../shared/node/database/database.ts';
import { claimDelivery } from '../../../shared/node/deliveries/claim-delivery.ts';
import type { DeliveryRow } from '../../../shared/node/deliveries/delivery-table.ts';
import { Minute, Second } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { createMigratedDatabase } from '../../support/database.ts';
import { storeDelivery, storeSubmission } from '../../support/stored-requests.ts';

/** The database that a file's tests share. */
export let database: Database;

const tables = [
  ...['deliveries', 'contact_submissions', 'newsletter_subscriptions', 'delivery_pauses', 'delivery_hold'],
  ...['erasures', 'erasure_list'],
];

/** Sets up a database for a file's tests. These tables are emptied before each test. */
export function setUpDatabase(): void {
  beforeAll(async () => {
    database = createDatabase(await createMigratedDatabase(), 'test');

    return () => database.destroy();
  });

  beforeEach(async () => {
    for (const table of tables) await database(table).delete();
  });
}

export const ahead = (ms: number) => ago(-ms);
export const lease = (ms = 60 * Second) => ({ token: randomUUID(), ms });
export const read = (id: string) => database<DeliveryRow>('deliveries').where({ id }).first();
export const change = (id: string, values: object) => database('deliveries').where({ id }).update(values);

/** Stores a delivery for a new request. */
export const store = async (values: Partial<DeliveryRow> = {}) =>
  storeDelivery(database, await storeSubmission(database), values);

export const expired = () => ({ state: 'leased', lease_token: randomUUID(), lease_until: ago(Second) }) as const;
export const running = (ms = Minute) => ({ state: 'leased', lease_token: randomUUID(), lease_until: ahead(ms) }) as const;

/** Claims a delivery that must be claimable. */
export async function claim(id: string, ms?: number) {
  const claimed = await claimDelivery(database, id, lease(ms));
  if (!claimed) throw new Error('The delivery was not claimed.');

  return claimed;
}
