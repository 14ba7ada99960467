import type { DeliveryKind } from '../../deliveries/delivery.ts';
import type { Database } from '../database.ts';
import { addMs } from './delivery-table.ts';

const PAUSES = 'delivery_pauses';

interface PauseRow {
  kind: DeliveryKind;
  until: Date;
  reason: string;
  ends_with_restart: boolean;
  since: Date;
}

/** Why a kind waits, and for how long from now. */
export interface NewPause {
  readonly ms: number;
  readonly reason: string;
  /** A worker that starts may have other settings. */
  readonly endsWithRestart: boolean;
}

/** A kind none of whose deliveries is begun before `until`. */
export interface DeliveryPause {
  readonly kind: DeliveryKind;
  readonly until: Date;
  readonly reason: string;
  /** When the first of the pauses that follow one another began. */
  readonly since: Date;
}

/**
 * Holds back a kind for `ms` from now; one that is held back for longer already stays so.
 * @returns whether the kind was free before
 */
export async function pauseKind(
  database: Database,
  kind: DeliveryKind,
  { ms, reason, endsWithRestart }: NewPause,
): Promise<boolean> {
  const rows = await database<PauseRow>(PAUSES)
    .insert({
      kind,
      until: addMs(database, ms),
      reason,
      ends_with_restart: endsWithRestart,
    })
    .onConflict('kind')
    .merge({
      until: database.raw('greatest(delivery_pauses.until, excluded.until)'),
      reason: database.raw('excluded.reason'),
      ends_with_restart: database.raw('excluded.ends_with_restart'),
      // A pause that ended long ago was another one.
      since: database.raw(
        "case when delivery_pauses.until < now() - interval '1 hour' then now() else delivery_pauses.since end",
      ),
    } as never)
    .returning<Array<{ is_new: boolean }>>(database.raw('since = now() as is_new'));

  return rows[0]?.is_new ?? false;
}

/** Lets a kind go on at once: its settings may have been mended. */
export async function resumeKind(database: Database, kind: DeliveryKind): Promise<void> {
  await database<PauseRow>(PAUSES).where({ kind }).delete();
}

/** Ends the pauses that a worker's start may have made needless. */
export async function resumeKindsAfterStart(database: Database): Promise<void> {
  await database<PauseRow>(PAUSES).where({ ends_with_restart: true }).delete();
}

/** The kinds that are held back now. */
export async function listPauses(database: Database): Promise<DeliveryPause[]> {
  return database<PauseRow>(PAUSES)
    .whereRaw('until > now()')
    .orderBy('kind')
    .select('kind', 'until', 'reason', 'since');
}
