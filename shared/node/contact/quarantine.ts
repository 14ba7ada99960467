import type { PlannedDelivery, ScheduledDelivery } from '../../deliveries/delivery.ts';
import type { Transaction } from '../database.ts';
import { insertDeliveries } from '../deliveries/delivery-store.ts';
import { endQuarantine } from './contact-submission-store.ts';

/**
 * Lets a quarantined request through: its deliveries are written now, and their times count from
 * now. A second call changes nothing.
 * @returns the deliveries to queue after the commit, or undefined when it isn't in quarantine
 */
export async function releaseSubmission(
  transaction: Transaction,
  id: string,
  plan: readonly PlannedDelivery[],
): Promise<ScheduledDelivery[] | undefined> {
  if (!(await endQuarantine(transaction, id))) return undefined;

  return insertDeliveries(transaction, { submissionId: id }, plan);
}
