import type { Database, Raw, Transaction } from '../database/database.ts';
import type { DeliveryKind } from '../../deliveries/delivery.ts';
import { recordRestoredQuarantine, SUBMISSIONS } from '../contact/contact-submission-store.ts';
import { DELIVERIES, HAS_PROVIDER, IS_AT_MOST_ONCE, IS_WANTED, type DeliveryRow } from './delivery-table.ts';

export const HOLD_TABLE = 'delivery_hold';

export interface DeliveryHold {
  readonly heldAt: Date;
  /** When the backup was made that is restored; null for a hold begun by hand. */
  readonly backupAt: Date | null;
}

const READ = ['held_at as heldAt', 'backup_at as backupAt'];

/** Makes the table unless it is there. A restore needs it before there is a schema, so it never changes. */
export async function createHoldTable(database: Database | Transaction): Promise<void> {
  await database.raw(`
    create table if not exists delivery_hold (
      only_row boolean primary key default true check (only_row),
      held_at timestamptz not null default now(),
      backup_at timestamptz
    )
  `);
}

/** The hold, if nothing is sent now. */
export async function readHold(database: Database): Promise<DeliveryHold | undefined> {
  return database(HOLD_TABLE).first<DeliveryHold | undefined>(READ);
}

const formatTime = (time: Date) => time.toISOString().slice(0, 16).replace('T', ' ');

/** Since when and why deliveries are held. */
export function describeHold({ heldAt, backupAt }: DeliveryHold): string {
  const why = backupAt ? `the state of ${formatTime(backupAt)} UTC was restored` : 'held by an operator';

  return `Nothing is sent since ${formatTime(heldAt)} UTC: ${why}.`;
}

/** Sends nothing more from now on. An existing hold stays, unless a backup is restored: the latest counts. */
export async function holdDeliveries(
  database: Database | Transaction,
  backupAt: Date | null = null,
): Promise<void> {
  const hold = database(HOLD_TABLE).insert({ backup_at: backupAt }).onConflict('only_row');
  await (backupAt ? hold.merge({ held_at: database.fn.now(), backup_at: backupAt }) : hold.ignore());
}

export interface HeldDeliveries {
  readonly kind: DeliveryKind;
  readonly pending: number;
  readonly due: number;
  /** Due when the hold began: before that they may have been sent. */
  readonly dueBefore: number;
}

/** Counts what waits, by kind; kinds of which nothing does are left out. */
export async function countHeldDeliveries(database: Database): Promise<HeldDeliveries[]> {
  const { rows } = await database.raw<{ rows: HeldDeliveries[] }>(`
    select kind,
      count(*)::int as pending,
      count(*) filter (where due_at <= now() and ${HAS_PROVIDER})::int as due,
      count(*) filter (where due_at <= held_at)::int as "dueBefore"
    from deliveries, delivery_hold
    where state in ('pending', 'leased') and ${IS_WANTED}
    group by kind order by kind
  `);

  return rows;
}

/** SQL for what may be sent yet: leased or dead in the backup, or swept, which an undo brings back. */
const MAY_BE_SENT = "(state in ('pending', 'leased', 'dead') or swept_from is not null)";

/** Marks deliveries maybe sent since the backup as tried, so that an export looks first; cancels acknowledgments. */
export async function recordPossiblySent(transaction: Transaction, condition: Raw): Promise<void> {
  const findSendable = () => transaction<DeliveryRow>(DELIVERIES).whereRaw(MAY_BE_SENT).where(condition);
  await findSendable().update({ maybe_duplicate: true, attempts: transaction.raw('greatest(attempts, 1)') });
  await findSendable()
    .whereRaw(IS_AT_MOST_ONCE)
    .update({ state: 'cancelled', swept_from: null, last_error: 'restored', lease_token: null, lease_until: null });
}

/** Ends the hold and returns it. After a restore, what was due before may have been sent. */
export async function releaseDeliveries(database: Database): Promise<DeliveryHold | undefined> {
  return database.transaction(async (transaction) => {
    const [hold] = await transaction(HOLD_TABLE).delete().returning<DeliveryHold[]>(READ);
    if (hold?.backupAt) {
      const { heldAt } = hold;
      await recordPossiblySent(
        transaction,
        transaction.raw(
          `(due_at <= :heldAt or submission_id in (
            select id from ${SUBMISSIONS} where received_at <= :heldAt and released_at >= :heldAt
          ))`,
          { heldAt },
        ),
      );
      await recordRestoredQuarantine(transaction, heldAt);
    }

    return hold;
  });
}
