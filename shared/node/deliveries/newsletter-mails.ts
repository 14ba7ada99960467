import { Day } from '../../time.ts';
import { addMs, type Transaction } from '../database/database.ts';
import { DELIVERIES, type DeliveryRow } from './delivery-table.ts';

/**
 * Whether a subscriber gets no further mail now: one is on its way, the last was due within
 * `pauseMs`, or there were `perDay` in a day.
 */
export async function hasEnoughNewsletterMails(
  transaction: Transaction,
  subscriptionId: string,
  { pauseMs, perDay }: { readonly pauseMs: number; readonly perDay: number },
): Promise<boolean> {
  const row = await transaction<DeliveryRow>(DELIVERIES)
    .where({ subscription_id: subscriptionId })
    .first<{ blocking: number; recent: number }>(
      transaction.raw(
        "count(*) filter (where state in ('pending', 'leased') or due_at > ?)::int as blocking",
        [addMs(transaction, -pauseMs)],
      ),
      transaction.raw('count(*) filter (where due_at > ?)::int as recent', [
        addMs(transaction, -1 * Day),
      ]),
    );

  return row.blocking > 0 || row.recent >= perDay;
}
