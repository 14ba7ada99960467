import type { Database, Transaction } from '../../shared/node/database/database.ts';
import {
  createHoldTable,
  holdDeliveries,
  HOLD_TABLE,
} from '../../shared/node/deliveries/delivery-hold.ts';
import { ERASURE_LIST } from '../../shared/node/erasure/erasure-store.ts';
import { OpsError } from '../cli/session.ts';
import { countRows, listTables, type Table } from '../postgres/list-tables.ts';

/**
 * Tables that may have rows although the database has no data: migrations and a worker's first start
 * fill them, and a worker may have raised alerts and paused kinds without a provider.
 */
const FILLED_WITHOUT_DATA = new Set([
  'alerts',
  'delivery_pauses',
  'knex_migrations',
  'knex_migrations_lock',
  HOLD_TABLE,
  ERASURE_LIST,
]);

/** The tables that the migrations create. */
export const ownTables: readonly string[] = [
  'contact_submissions',
  'deliveries',
  'erasures',
  'held_mails',
  'newsletter_subscriptions',
  'reports',
  'sales_rotation',
  'submission_events',
  ...FILLED_WITHOUT_DATA,
];

const HOW_TO_EMPTY =
  'A backup is restored into an empty database only. Create one (`create database`) and set DATABASE_URL to it; in the stack see docs/operations/restore.md.';

/**
 * A running site would write into what is being replaced.
 * @throws OpsError naming who else is connected
 */
async function requireNoOtherConnections(database: Database): Promise<void> {
  const { rows } = await database.raw<{ rows: Array<{ name: string | null }> }>(`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and usesysid is not null
      and application_name is distinct from 'ops' and pid <> pg_backend_pid()
  `);
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name || 'without application_name').join(', ');
  throw new OpsError(
    `Other programs are connected to the database (${names}): stop web, worker and backup first, and try again.`,
  );
}

function requireOwnTables(tables: readonly Table[]): void {
  const others = tables.filter(
    ({ schema, name }) => schema !== 'public' || !ownTables.includes(name),
  );
  if (others.length === 0) return;
  const names = others.map(({ schema, name }) => `${schema}.${name}`).join(', ');
  throw new OpsError(`The database has other tables (${names}). ${HOW_TO_EMPTY}`);
}

async function requireNoRows(transaction: Transaction, tables: readonly Table[]): Promise<void> {
  const counts = await countRows(transaction, tables);
  const filled = Object.keys(counts).filter(
    (name) => counts[name] !== 0 && !FILLED_WITHOUT_DATA.has(name),
  );
  if (filled.length === 0) return;
  throw new OpsError(`The database isn't empty (${filled.join(', ')}). ${HOW_TO_EMPTY}`);
}

async function dropTables(transaction: Transaction, tables: readonly Table[]): Promise<void> {
  const own = tables.filter(({ name }) => name !== HOLD_TABLE);
  for (const { name } of own) await transaction.raw('drop table ?? cascade', [name]);
}

/**
 * Prepares a database for a restore: drops the empty tables of the migrations, which may be of another
 * version, and begins the hold, so that restored deliveries are never visible without it. All of that
 * or nothing.
 * @param backupAt when the backup was made
 * @throws OpsError when another program is connected, when a table has rows, or isn't the site's
 */
export async function emptyDatabase(database: Database, backupAt: Date): Promise<void> {
  await requireNoOtherConnections(database);
  await database.transaction(async (transaction) => {
    const tables = await listTables(transaction);
    requireOwnTables(tables);
    if (tables.length > 0) {
      const names = tables.map(() => '??').join(', ');
      await transaction.raw(`lock table ${names} in access exclusive mode`, tables.map(({ name }) => name));
    }
    await requireNoRows(transaction, tables);
    await dropTables(transaction, tables);
    await createHoldTable(transaction);
    await holdDeliveries(transaction, backupAt);
  });
}
