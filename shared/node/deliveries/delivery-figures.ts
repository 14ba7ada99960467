import type { DeliveryKind, DeliveryState, FollowUpStage } from '../../deliveries/delivery.ts';
import type { Database } from '../database.ts';
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

/** All deliveries, counted by kind, stage and state; groups without any are left out. */
export async function countDeliveryGroups(database: Database): Promise<DeliveryGroup[]> {
  return database<DeliveryRow>(DELIVERIES)
    .groupBy('kind', 'stage', 'state')
    .select<DeliveryGroup[]>(
      'kind',
      'stage',
      'state',
      database.raw('count(*)::int as count'),
      database.raw(`-${MS_UNTIL('min(due_at)')} as "oldestDueMs"`),
    );
}
