import type { DeliveryKind, DeliveryState, FollowUpStage } from '../../deliveries/delivery.ts';
import type { Database } from '../database/database.ts';
import { DELIVERIES, MS_UNTIL, type DeliveryRow } from './delivery-table.ts';

/** The deliveries of one kind and stage in one state. */
export interface DeliveryGroup {
  readonly kind: DeliveryKind;
  readonly stage: FollowUpStage | null;
  readonly state: DeliveryState;
  readonly count: number;
  /** Since the oldest of them was due; below 0 when none is due yet. */
  readonly oldestDueMs: number;
}

/** Those in some states, counted by kind, stage and state; groups without any are left out. */
async function countGroups(
  database: Database,
  states: readonly DeliveryState[],
): Promise<DeliveryGroup[]> {
  return database<DeliveryRow>(DELIVERIES)
    .whereIn('state', [...states])
    .groupBy('kind', 'stage', 'state')
    .select<DeliveryGroup[]>(
      'kind',
      'stage',
      'state',
      database.raw('count(*)::int as count'),
      database.raw(`-${MS_UNTIL('min(due_at)')} as "oldestDueMs"`),
    );
}

/** What is still to be done, or to be looked at: few among many, each sort with an index of its own. */
export async function countUnfinishedGroups(database: Database): Promise<DeliveryGroup[]> {
  const groups = await Promise.all([
    countGroups(database, ['pending', 'leased']),
    countGroups(database, ['dead']),
  ]);

  return groups.flat();
}

/** What needs nobody any more. This reads the whole table: not to be asked all the time. */
export function countFinishedGroups(database: Database): Promise<DeliveryGroup[]> {
  return countGroups(database, ['sent', 'cancelled']);
}
