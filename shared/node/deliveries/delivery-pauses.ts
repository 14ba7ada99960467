import { deliveryKinds, type DeliveryKind } from '../../deliveries/delivery.ts';
import { nowPlusMs, type Database } from '../database/database.ts';
import { NO_PROVIDER } from './delivery-table.ts';

const PAUSES = 'delivery_pauses';

interface PauseRow {
  kind: DeliveryKind;
  until: Date;
  reason: string;
  ends_with_restart: boolean;
}

export interface NewPause {
  readonly ms: number;
  readonly reason: string;
  /** Whether the settings caused the pause. A worker may have different settings after a restart. */
  readonly endsWithRestart: boolean;
}

interface DeliveryPause {
  readonly kind: DeliveryKind;
  readonly until: Date;
  readonly reason: string;
}

/**
 * Pauses a kind for at least `ms` milliseconds and returns whether the pause is new. A kind has at most one pause for
 * each value of `endsWithRestart`.
 */
export async function pauseKind(
  database: Database,
  kind: DeliveryKind,
  { ms, reason, endsWithRestart }: NewPause,
): Promise<boolean> {
  await database<PauseRow>(PAUSES).where({ kind }).whereRaw('until <= now()').delete();
  const { rows } = await database.raw<{ rows: Array<{ is_new: boolean }> }>(
    `insert into delivery_pauses as pause (kind, ends_with_restart, until, reason)
    values (?, ?, ?, ?)
    on conflict (kind, ends_with_restart) do update set
      until = greatest(pause.until, excluded.until),
      reason = case when excluded.until > pause.until then excluded.reason else pause.reason end
    -- xmax is zero in an inserted row, and the transaction's id in an updated row.
    returning xmax = 0 as is_new`,
    [kind, endsWithRestart, nowPlusMs(database, ms), reason],
  );

  return rows[0]?.is_new ?? false;
}

/** Used instead of `infinity`, which PostgreSQL versions before 17 can't subtract. */
const NEVER = '9999-12-31T00:00:00Z';

/** Pauses a kind until a worker starts with a provider for it. Its deliveries count neither as paused nor as late. */
export async function pauseUntilProviderIsSet(database: Database, kind: DeliveryKind): Promise<void> {
  await database.raw(
    `insert into delivery_pauses (kind, ends_with_restart, until, reason)
    values (:kind, true, :until, :reason)
    on conflict (kind, ends_with_restart) do update set until = excluded.until, reason = excluded.reason`,
    { kind, until: NEVER, reason: NO_PROVIDER },
  );
}

/** Lists the kinds that have a provider, including paused kinds. */
export async function listKindsWithProvider(database: Database): Promise<DeliveryKind[]> {
  const rows = await database<PauseRow>(PAUSES)
    .where({ reason: NO_PROVIDER })
    .whereRaw('until > now()')
    .select('kind');
  const unserved = new Set(rows.map(({ kind }) => kind));

  return deliveryKinds.filter((kind) => !unserved.has(kind));
}

/** Ends a kind's pauses, because its settings may have been fixed. */
export async function resumeKind(database: Database, kind: DeliveryKind): Promise<void> {
  await database<PauseRow>(PAUSES).where({ kind }).whereNot({ reason: NO_PROVIDER }).delete();
}

/** Ends the pauses that changed settings may have made unnecessary. */
export async function resumeKindsAfterStart(database: Database): Promise<void> {
  await database<PauseRow>(PAUSES).where({ ends_with_restart: true }).delete();
}

/** Lists the current pauses, except those of kinds without a provider. */
export async function listPauses(database: Database): Promise<DeliveryPause[]> {
  return database<PauseRow>(PAUSES)
    .whereRaw('until > now()')
    .whereNot({ reason: NO_PROVIDER })
    .orderBy(['kind', 'until'])
    .select('kind', 'until', 'reason');
}
