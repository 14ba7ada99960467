import { anonymizeSubmissions } from '../contact/anonymize-submissions.ts';
import type { Database } from '../database/database.ts';
import { cancelErasedDeliveries } from '../deliveries/delivery-store.ts';

/** Anonymises submissions and calls off their deliveries, in one transaction; returns whose. */
export async function eraseSubmissions(
  database: Database,
  ids: readonly string[],
): Promise<readonly string[]> {
  return database.transaction(async (transaction) => {
    const anonymised = await anonymizeSubmissions(transaction, ids);
    // Also of those anonymised before: a delivery may have been revived since.
    await cancelErasedDeliveries(transaction, ids);

    return anonymised;
  });
}
