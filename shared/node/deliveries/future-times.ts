import { callKinds } from '../../deliveries/delivery.ts';
import { nowPlusMs, type Database } from '../database/database.ts';
import { DELIVERIES, listInSql, NO_PROVIDER } from './delivery-table.ts';

/**
 * SQL for the end of the longest wait of a row's kind: longer than any back-off or pause, and than another side may ask
 * for (`MAX_RETRY_AFTER`), which a mail server can't.
 */
const LONGEST_WAIT = `now() + case when kind in (${listInSql(callKinds)}) then interval '7 hours' else interval '1 hour' end`;

/**
 * Ends waits that only a PostgreSQL clock that was ahead, and was set back, can have begun: of what is due as soon as
 * it is planned, of a retry, a lease or a pause that is longer than any. A reminder may be due whenever it is: it comes
 * as late as the clock was ahead.
 * @param lease milliseconds after which such a lease ends: its worker may be at it just now
 * @returns how many deliveries waited
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
