import type { DeliveryKind, DeliveryState, ScheduledDelivery } from '../../deliveries/delivery.ts';
import type { Database } from '../database/database.ts';
import { DELIVERIES, MS_UNTIL, READY_AT, type DeliveryRow } from './delivery-table.ts';

/** Which dead deliveries are to be tried again: some, or all (of a kind). */
export type RetryChoice =
  | { readonly ids: readonly string[] }
  | { readonly kind: DeliveryKind | undefined };

/**
 * Makes dead deliveries pending, with all their tries before them; others stay as they are. What was
 * tried before is counted once, so that the next try looks whether an earlier one left something.
 * Lost answers are forgotten: who tries again accepts that a mail may come twice.
 * @returns those that wait again
 */
export async function requeueDeliveries(
  database: Database,
  choice: RetryChoice,
): Promise<ScheduledDelivery[]> {
  const dead = database<DeliveryRow>(DELIVERIES).where({ state: 'dead' });
  if ('ids' in choice) void dead.whereIn('id', [...choice.ids]);
  else if (choice.kind) void dead.where({ kind: choice.kind });

  const rows = await dead
    .update({
      state: 'pending',
      attempts: database.raw('least(attempts, 1)'),
      lease_expiries: 0,
      lost_answers: 0,
      retry_at: null,
    })
    .returning<Array<Pick<DeliveryRow, 'id' | 'kind' | 'priority'> & { delay_ms: number }>>([
      'id',
      'kind',
      'priority',
      database.raw(`${MS_UNTIL(READY_AT)} as delay_ms`),
    ]);

  return rows.map(({ id, kind, priority, delay_ms: delayMs }) => ({
    id,
    kind,
    priority,
    delayMs: Math.max(0, delayMs),
  }));
}

/** The states of deliveries by id; those that don't exist are missing. */
export async function readDeliveryStates(
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, DeliveryState>> {
  const rows = await database<DeliveryRow>(DELIVERIES).whereIn('id', [...ids]).select('id', 'state');

  return new Map(rows.map(({ id, state }) => [id, state]));
}
