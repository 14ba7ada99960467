import { callKinds } from '../../deliveries/delivery.ts';
import { nowPlusMs, type Database } from '../database/database.ts';
import { DELIVERIES, listInSql, NO_PROVIDER } from './delivery-table.ts';

/** SQL for the end of the longest wait of a row's kind: longer than any back-off, pause or `MAX_RETRY_AFTER`. */
const LONGEST_WAIT = `now() + case when kind in (${listInSql(callKinds)}) then interval '7 hours' else interval '1 hour' end`;

/**
 * Ends waits that only a clock which was ahead can have begun: leases, retries and pauses longer than any. Returns
 * their number.
 * @param lease milliseconds after which such a lease ends
 */
export async function endFutureWaits(database: Database, lease: number): Promise<number> {
  await database('delivery_pauses').whereNot({ reason: NO_PROVIDER }).whereRaw(`until > ${LONGEST_WAIT}`).delete();
  const isPutOff = "due_at > now() and (stage is null or stage = 'new')";
  const { rowCount } = await database.raw<{ rowCount: number }>(
    `update ${DELIVERIES} set
      due_at = case when ${isPutOff} then now() else due_at end,
      retry_at = case when retry_at > ${LONGEST_WAIT} then now() else retry_at end,
      lease_until = case when lease_until > :longestLease then :leaseEnd else lease_until end
    where state in ('pending', 'leased') and (${isPutOff} or retry_at > ${LONGEST_WAIT} or lease_until > :longestLease)`,
    { longestLease: nowPlusMs(database, 2 * lease), leaseEnd: nowPlusMs(database, lease) },
  );

  return rowCount;
}
