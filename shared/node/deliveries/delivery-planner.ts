import { planDeliveries, type OptionalDeliveries, type PlannedDelivery } from '../../deliveries/delivery.ts';
import type { Transaction } from '../database/database.ts';
import type { ResponsePromise } from '../response-promise/response-promise.ts';

/** Plans the deliveries of a submission that a transaction accepts or releases. */
export type DeliveryPlanner = (transaction: Transaction) => Promise<readonly PlannedDelivery[]>;

/** Makes the planner; in business time the waits depend on when it is now, by PostgreSQL's clock. */
export function createDeliveryPlanner(
  { answer, reminder, isBusinessTime }: ResponsePromise,
  { acknowledges, hasChat }: OptionalDeliveries,
): DeliveryPlanner {
  const planAt = (now: Date) =>
    planDeliveries({
      acknowledges,
      hasChat,
      reminderAfter: reminder.after(now).getTime() - now.getTime(),
      dueAfter: answer.after(now).getTime() - now.getTime(),
    });
  if (!isBusinessTime) {
    const plan = planAt(new Date(0));

    return async () => plan;
  }

  return async (transaction) => {
    const { rows } = await transaction.raw<{ rows: [{ readonly now: Date }] }>('select now()');

    return planAt(rows[0].now);
  };
}
