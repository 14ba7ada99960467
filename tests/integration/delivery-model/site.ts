import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { DeliveryKind, DeliveryState, FollowUpStage } from '../../../shared/deliveries/delivery.ts';
import { loadConfig } from '../../../shared/node/config/config.ts';
import { batchTimeouts, createDatabase, type Database } from '../../../shared/node/database/database.ts';
import { holdDeliveries, HOLD_TABLE } from '../../../shared/node/deliveries/delivery-hold.ts';
import type { Outcome } from '../../../shared/contact/outcomes.ts';
import { READY_AT } from '../../../shared/node/deliveries/delivery-table.ts';
import { applyErasures } from '../../../shared/node/erasure/apply-erasures.ts';
import { ERASURE_LIST } from '../../../shared/node/erasure/erasure-store.ts';
import { createLogger } from '../../../shared/node/logging/logger.ts';
import { buildTestApp } from '../../support/build-test-app.ts';
import { listTimedTables, shiftTimes, type TimedTable } from '../../support/moved-clock.ts';

/** A stored delivery. */
export interface StoredDelivery {
  readonly id: string;
  readonly submissionId: string;
  readonly kind: DeliveryKind;
  readonly stage: FollowUpStage | null;
  readonly recipient: string | null;
  readonly state: DeliveryState;
  readonly isMaybeDuplicate: boolean;
  readonly lastError: string | null;
  /** The sales event that caused it, or null. */
  readonly eventId: string | null;
  /** For the note "Asked again": the new request. */
  readonly newRequestId: string | null;
}

/** A stored event: an outcome that sales recorded, or an assignment by rotation. */
export interface StoredEvent {
  readonly id: string;
  readonly submissionId: string;
  readonly what: Outcome | 'rotate';
  /** The new assignee's address. */
  readonly to: string | null;
  readonly isUndone: boolean;
  readonly isPastPromise: boolean;
  /** When a snooze ends: PostgreSQL's own time in milliseconds, without the model's clock steps. */
  readonly until: number | null;
}

/** A stored request. */
interface StoredSubmission {
  readonly id: string;
  readonly isErased: boolean;
  readonly assignedTo: string | null;
}

/** A stored member of the sales rotation. */
export interface StoredTurn {
  readonly address: string;
  /** In microseconds. Null before the first turn. */
  readonly lastAssignedAt: number | null;
  /** Time until an absence ends, in milliseconds. Null if not absent. */
  readonly awayMs: number | null;
}

/** The contents of the database. */
export interface Stored {
  readonly submissions: readonly StoredSubmission[];
  /** Pending deliveries come first, in the order in which they become ready. */
  readonly deliveries: readonly StoredDelivery[];
  readonly events: readonly StoredEvent[];
  readonly turns: readonly StoredTurn[];
  /** Null if there is no hold. */
  readonly hold: { readonly isOfRestore: boolean } | null;
  readonly pauses: ReadonlyArray<{ readonly kind: DeliveryKind; readonly leftMs: number }>;
}

/** Runs after every command. Its name lets PostgreSQL cache the plan, because planning takes longer than reading. */
const READ_STORED = {
  name: 'read-stored',
  text: `select json_build_object(
  'submissions', (
    select coalesce(json_agg(json_build_object(
      'id', id, 'isErased', anonymised_at is not null, 'assignedTo', assigned_to
    )), '[]') from contact_submissions),
  'deliveries', (
    select coalesce(json_agg(json_build_object(
      'id', id, 'submissionId', submission_id, 'kind', kind, 'stage', stage, 'recipient', recipient,
      'state', state, 'isMaybeDuplicate', maybe_duplicate, 'lastError', last_error, 'eventId', event_id,
      'newRequestId', (select details->>'requestId' from submission_events where submission_events.id = event_id)
    ) order by state <> 'pending', ${READY_AT}, kind, stage, recipient), '[]') from deliveries),
  'events', (
    select coalesce(json_agg(json_build_object(
      'id', id, 'submissionId', submission_id, 'what', what, 'to', details->>'to', 'isUndone', undone_at is not null,
      'isPastPromise', coalesce((details->>'isPastPromise')::boolean, false),
      'until', extract(epoch from until) * 1000
    ) order by position), '[]') from submission_events where what <> 'asked-again'),
  'turns', (
    select coalesce(json_agg(json_build_object(
      'address', address, 'lastAssignedAt', extract(epoch from last_assigned_at) * 1000000,
      'awayMs', extract(epoch from away_until - now()) * 1000
    )), '[]') from sales_rotation),
  'hold', (select json_build_object('isOfRestore', backup_at is not null) from delivery_hold),
  'pauses', (
    select coalesce(json_agg(json_build_object(
      'kind', kind, 'leftMs', extract(epoch from until - now()) * 1000
    )), '[]') from delivery_pauses where until > now())
) as stored`,
};

/** Every row of the site's tables. */
export interface Dump {
  readonly rows: Readonly<Record<string, readonly object[] | null>>;
  /** The model's clock offset at the time of the dump, in milliseconds. */
  readonly offset: number;
}

/** The site under test: its web application, its database, and its erasure log's folder. */
export type Site = Awaited<ReturnType<typeof openSite>>;

/** The erasure log outside the database. */
async function openErasureLog(directory: string) {
  const path = join(directory, 'erasures.ndjson');
  const header = await readFile(path, 'utf8');

  return {
    shiftTimes: async (ms: number) => {
      const text = await readFile(path, 'utf8');
      const shifted = text.replaceAll(
        /(?<="erased_at":")[^"]+/g,
        (time) => new Date(Date.parse(time) + ms).toISOString(),
      );
      if (shifted !== text) await writeFile(path, shifted);
    },
    empty: () => writeFile(path, header),
  };
}

/** SQL that empties all tables except the erasure list, which holds the erasure log's id. */
const emptyTables = (tables: readonly TimedTable[]): string =>
  tables
    .filter(({ table }) => table !== ERASURE_LIST)
    .toReversed()
    .map(({ table }) => `delete from ${table}`)
    .join('; ');

function makeDumps(database: Database, tables: readonly TimedTable[], readOffset: () => number) {
  const parts = tables.map(({ table }) => `'${table}', (select json_agg(row) from ${table} as row)`);

  return {
    dump: async (): Promise<Dump> => {
      const { rows } = await database.raw<{ rows: Array<Pick<Dump, 'rows'>> }>(
        `select json_build_object(${parts.join(', ')}) as rows`,
      );

      return { rows: rows[0]?.rows ?? {}, offset: readOffset() };
    },
    /** Replaces all data with a dump and begins a hold, as `ops restore` does. */
    restore: (dump: Dump) =>
      database.transaction(async (transaction) => {
        await transaction.raw(emptyTables(tables));
        for (const { table, writable } of tables) {
          const rows = dump.rows[table];
          // The restore begins its own hold, and the erasure log never changes.
          if (!rows || table === HOLD_TABLE || table === ERASURE_LIST) continue;
          await transaction.raw(
            `insert into ${table} (${writable}) select ${writable} from json_populate_recordset(null::${table}, ?)`,
            [JSON.stringify(rows)],
          );
        }
        await transaction.raw(shiftTimes(tables, dump.offset - readOffset()));
        await holdDeliveries(transaction, new Date());
      }),
  };
}

export async function openSite() {
  const folder = await mkdtemp(join(tmpdir(), 'test-model-'));
  const settings = {
    COOKIE_SECRET: 's'.repeat(32),
    ERASURES_DIR: folder,
    LOG_LEVEL: 'silent',
    SALES_EMAIL: 'first@sales.example, second@sales.example',
    RATE_LIMIT_CONTACT: '100000/1m',
    CRM_PROVIDER: 'webhook',
    CRM_WEBHOOK_URL: 'https://crm.example/leads',
    CHAT_URL: 'https://chat.example/hook',
    CRM_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
  };
  const app = await buildTestApp(settings);
  const { databaseUrl } = app;
  // The timeouts are long so that a slow machine doesn't fail the test.
  const database = createDatabase(databaseUrl, 'test', batchTimeouts);
  const reader = new pg.Client({ connectionString: databaseUrl });
  await reader.connect();
  const config = loadConfig({ ...settings, DATABASE_URL: databaseUrl });
  const tables = await listTimedTables(database);
  // Creates the erasure log, as a worker does when it first starts.
  await applyErasures(database, config);
  const erasureLog = await openErasureLog(folder);
  let offset = 0;

  return {
    app,
    database,
    config,
    logger: createLogger({ level: 'silent', process: 'test' }),
    /** PostgreSQL's time including the model's clock steps, in milliseconds. */
    readTime: () => Date.now() + offset,
    /** Moves PostgreSQL's clock forward, or back if `ms` is negative. */
    stepClock: async (ms: number) => {
      await database.raw(shiftTimes(tables, -ms));
      await erasureLog.shiftTimes(-ms);
      offset += ms;
    },
    readStored: async () => {
      const { rows } = await reader.query<{ stored: Stored }>(READ_STORED);
      if (!rows[0]) throw new Error('PostgreSQL returned no row.');

      return rows[0].stored;
    },
    ...makeDumps(database, tables, () => offset),
    /** Removes all data. */
    empty: async () => {
      await database.raw(emptyTables(tables));
      await erasureLog.empty();
      offset = 0;
    },
    close: async () => {
      await reader.end();
      await database.destroy();
      await app.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
