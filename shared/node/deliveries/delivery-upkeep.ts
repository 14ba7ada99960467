import type { DeliveryKind, ScheduledDelivery } from '../../deliveries/delivery.ts';
import type { Database } from '../database.ts';
import { runAlone } from '../run-alone.ts';
import { CLAIMABLE_AT, DELIVERIES, MS_UNTIL, type DeliveryRow } from './delivery-table.ts';

/** Any number, the same for all workers; spells 'swee'. */
const SWEEP_LOCK = 0x73776565;

const PAGE_SIZE = 500;

/** Runs `sweep` unless another worker is at it. */
export async function runAsOnlySweeper(
  database: Database,
  sweep: () => Promise<void>,
): Promise<void> {
  await runAlone(database, SWEEP_LOCK, sweep);
}

/** Numbers of deliveries whose worker went silent, by what became of them. */
export interface ReleasedLeases {
  readonly freed: number;
  readonly dead: number;
}

/**
 * Frees deliveries whose lease ended without a word: the worker was killed or hung, and nobody knows
 * how far it came. The one that ended `maxExpiries` tries so is given up, for it may be what kills
 * the workers.
 */
export async function releaseExpiredLeases(
  database: Database,
  maxExpiries: number,
): Promise<ReleasedLeases> {
  const rows = await database<DeliveryRow>(DELIVERIES)
    .where({ state: 'leased' })
    .whereRaw('lease_until < now()')
    .update({
      state: database.raw("case when lease_expiries + 1 >= ? then 'dead' else 'pending' end", [
        maxExpiries,
      ]),
      lease_expiries: database.raw('lease_expiries + 1'),
      lease_token: null,
      lease_until: null,
      last_error: 'lease-expired',
      maybe_duplicate: true,
    })
    .returning('state');

  const dead = rows.filter(({ state }) => state === 'dead').length;

  return { freed: rows.length - dead, dead };
}

interface OpenRow {
  readonly id: string;
  readonly kind: DeliveryKind;
  readonly priority: number;
  readonly delay_ms: number;
  /** As text, so that no digit of the time is lost. */
  readonly due_text: string;
}

/** Every pending delivery with the time until it may be tried, in pages, the oldest first. */
export async function* listPendingDeliveries(
  database: Database,
): AsyncGenerator<readonly ScheduledDelivery[]> {
  let last: Pick<OpenRow, 'due_text' | 'id'> = {
    due_text: '-infinity',
    id: '00000000-0000-0000-0000-000000000000',
  };

  for (;;) {
    const rows = await database<DeliveryRow>(DELIVERIES)
      .where({ state: 'pending' })
      .whereRaw('(due_at, id) > (?::timestamptz, ?::uuid)', [last.due_text, last.id])
      .orderBy(['due_at', 'id'])
      .limit(PAGE_SIZE)
      .select<OpenRow[]>(
        'id',
        'kind',
        'priority',
        database.raw(`${MS_UNTIL(CLAIMABLE_AT)} as delay_ms`),
        database.raw('due_at::text as due_text'),
      );
    const end = rows.at(-1);
    if (!end) return;

    yield rows.map(({ id, kind, priority, delay_ms: delayMs }) => ({
      id,
      kind,
      priority,
      delayMs: Math.max(0, delayMs),
    }));
    last = end;
  }
}

/** The id of the delivery of a kind that is to be tried next, if one may be tried now. */
export async function findNextDelivery(
  database: Database,
  kind: DeliveryKind,
): Promise<string | undefined> {
  const row = await database<DeliveryRow>(DELIVERIES)
    .where({ state: 'pending', kind })
    // The first condition is the index's, the second decides.
    .whereRaw('due_at <= now()')
    .whereRaw(`${CLAIMABLE_AT} <= now()`)
    .orderBy(['priority', 'due_at', 'id'])
    .first('id');

  return row?.id;
}

/**
 * Milliseconds for which the delivery longest ready to be tried has been lying around; 0 when none
 * is. What waits after a failure or with its kind isn't ready: it is not the worker's fault.
 */
export async function readLongestWaitMs(database: Database): Promise<number> {
  const row = await database<DeliveryRow>(DELIVERIES)
    .where({ state: 'pending' })
    .first<{ wait_ms: number | null }>(
      database.raw(`max(-${MS_UNTIL(CLAIMABLE_AT)}) as wait_ms`),
    );

  return Math.max(0, row.wait_ms ?? 0);
}

/** Milliseconds the oldest unfinished delivery is overdue; 0 when none is. */
export async function readOldestOverdueMs(database: Database): Promise<number> {
  const row = await database<DeliveryRow>(DELIVERIES)
    .whereIn('state', ['pending', 'leased'])
    .first<{ overdue_ms: number | null }>(
      database.raw(`max(-${MS_UNTIL('due_at')}) as overdue_ms`),
    );

  return Math.max(0, row.overdue_ms ?? 0);
}
