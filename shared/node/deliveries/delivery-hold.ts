import type { Database, Raw, Transaction } from '../database/database.ts';
import type { DeliveryKind } from '../../deliveries/delivery.ts';
import { recordRestoredQuarantine, SUBMISSIONS } from '../contact/contact-submission-store.ts';
import { DELIVERIES, HAS_PROVIDER, IS_AT_MOST_ONCE, IS_WANTED, type DeliveryRow } from './delivery-table.ts';

export const HOLD_TABLE = 'delivery_hold';

export interface DeliveryHold {
  readonly heldAt: Date;
  /** Time of the restored backup; null if an operator started the hold. */
  readonly backupAt: Date | null;
}

const COLUMNS = ['held_at as heldAt', 'backup_at as backupAt'];

/** Creates the table unless it exists. A restore needs it before the schema exists, so its columns must not change. */
export async function createHoldTable(database: Database | Transaction): Promise<void> {
  await database.raw(`
    create table if not exists delivery_hold (
      only_row boolean primary key default true check (only_row),
      held_at timestamptz not null default now(),
      backup_at timestamptz
    )
  `);
}

/** Returns the hold; undefined if there is none. */
export const readHold = async (database: Database): Promise<DeliveryHold | undefined> =>
  database(HOLD_TABLE).first<DeliveryHold | undefined>(COLUMNS);

const formatTime = (time: Date) => time.toISOString().slice(0, 16).replace('T', ' ');

/** Returns a sentence that says when and why deliveries were put on hold. */
export function describeHold({ heldAt, backupAt }: DeliveryHold): string {
  const why = backupAt ? `the state of ${formatTime(backupAt)} UTC was restored` : 'an operator started the hold';

  return `Nothing has been sent since ${formatTime(heldAt)} UTC: ${why}.`;
}

/** Starts a hold. Nothing is sent until it is released. Only a restore replaces an existing hold. */
export async function holdDeliveries(
  database: Database | Transaction,
  backupAt: Date | null = null,
): Promise<void> {
  const hold = database(HOLD_TABLE).insert({ backup_at: backupAt }).onConflict('only_row');
  await (backupAt ? hold.merge({ held_at: database.fn.now(), backup_at: backupAt }) : hold.ignore());
}

export interface DeliveriesOnHold {
  readonly kind: DeliveryKind;
  readonly pending: number;
  readonly due: number;
  /** Number that were due before the hold began. They may already have been sent. */
  readonly dueBefore: number;
}

/** Counts each kind's waiting deliveries. Omits kinds that have none. */
export async function countDeliveriesOnHold(database: Database): Promise<DeliveriesOnHold[]> {
  const { rows } = await database.raw<{ rows: DeliveriesOnHold[] }>(`
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

/** SQL condition: the delivery can still be sent, possibly after an undo or a retry by an operator. */
const MAY_BE_SENT = "(state in ('pending', 'leased', 'dead') or swept_from is not null)";

/**
 * Marks deliveries that may have been sent after the backup, so that exports search the CRM before they create records.
 * Cancels acknowledgments.
 */
export async function recordPossiblySent(transaction: Transaction, condition: Raw): Promise<void> {
  const findSendable = () => transaction<DeliveryRow>(DELIVERIES).whereRaw(MAY_BE_SENT).where(condition);
  await findSendable().update({ maybe_duplicate: true, attempts: transaction.raw('greatest(attempts, 1)') });
  await findSendable()
    .whereRaw(IS_AT_MOST_ONCE)
    .update({ state: 'cancelled', swept_from: null, last_error: 'restored', lease_token: null, lease_until: null });
}

/** Ends the hold and returns it. After a restore, marks deliveries due before the hold as possibly sent. */
export async function releaseDeliveries(database: Database): Promise<DeliveryHold | undefined> {
  return database.transaction(async (transaction) => {
    const [hold] = await transaction(HOLD_TABLE).delete().returning<DeliveryHold[]>(COLUMNS);
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
