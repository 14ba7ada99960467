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

function countGroups(database: Database, condition: string): Promise<DeliveryGroup[]> {
  return database<DeliveryRow>(DELIVERIES)
    .whereRaw(condition)
    .groupBy('kind', 'stage', 'state')
    .select<DeliveryGroup[]>(
      'kind',
      'stage',
      'state',
      database.raw('count(*)::int as count'),
      database.raw(`-${MS_UNTIL('min(due_at)')} as "oldestDueMs"`),
    );
}

/**
 * What is to be done or was given up, counted by kind, stage and state; groups without any are left
 * out.
 */
export const countUnfinishedGroups = (database: Database): Promise<DeliveryGroup[]> =>
  // Each half has an index of its own.
  countGroups(database, "state in ('pending', 'leased') or state = 'dead'");

/** What was sent or called off, counted alike. It reads the whole history. */
export const countFinishedGroups = (database: Database): Promise<DeliveryGroup[]> =>
  countGroups(database, "state in ('sent', 'cancelled')");
