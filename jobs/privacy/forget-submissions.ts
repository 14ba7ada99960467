import { anonymiseSubmissions } from '../../shared/node/contact/anonymise-submissions.ts';
import type { Database } from '../../shared/node/database.ts';
import { cancelErasedDeliveries } from '../../shared/node/deliveries/cancel-erased.ts';

/** Anonymises submissions and calls off their deliveries, in one transaction; returns whose. */
export async function forgetSubmissions(
  database: Database,
  ids: readonly string[],
): Promise<readonly string[]> {
  return database.transaction(async (transaction) => {
    const anonymised = await anonymiseSubmissions(transaction, ids);
    // Also of those anonymised before: a delivery may have been revived since.
    await cancelErasedDeliveries(transaction, ids);

    return anonymised;
  });
}
