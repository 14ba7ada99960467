import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { SiteError } from '../logging/describe-error.ts';
import { erasureKinds } from './erasure-hash.ts';

/*
 * This file is the sole owner of the tables `erasures` and `erasure_list`.
 */

const ERASURES = 'erasures';
export const ERASURE_LIST = 'erasure_list';

/** That somebody was forgotten, and when; not who. */
export const erasureSchema = v.object({
  subject_hash: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  subject_kind: v.picklist(erasureKinds),
  key_id: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/)),
  erased_at: v.pipe(
    v.union([v.date(), v.pipe(v.string(), v.isoTimestamp(), v.transform((text) => new Date(text)))]),
    v.date(),
  ),
});

export type Erasure = v.InferOutput<typeof erasureSchema>;

const BATCH_SIZE = 500;

/** Every erasure the database knows. */
export async function listErasures(database: Database): Promise<Erasure[]> {
  return database<Erasure>(ERASURES).select('subject_hash', 'subject_kind', 'key_id', 'erased_at');
}

/** Writes erasures; of two about one subject the later counts. */
export async function recordErasures(
  database: Database,
  erasures: readonly Erasure[],
): Promise<void> {
  for (let start = 0; start < erasures.length; start += BATCH_SIZE) {
    await database<Erasure>(ERASURES)
      .insert(erasures.slice(start, start + BATCH_SIZE))
      .onConflict('subject_hash')
      .merge({
        erased_at: database.raw('greatest(erasures.erased_at, excluded.erased_at)') as never,
      });
  }
}

interface ListRow {
  id: string;
}

/** The id of the list of erasures that was begun for this database; undefined before that. */
export async function readErasureLogId(database: Database): Promise<string | undefined> {
  const row = await database<ListRow>(ERASURE_LIST).first('id');

  return row?.id;
}

/**
 * Remembers that a list of erasures is begun, unless one was before.
 * @param id its id, a UUID
 * @returns the id that holds: of several callers, the first one's
 */
export async function recordErasureLog(database: Database, id: string): Promise<string> {
  await database<ListRow>(ERASURE_LIST).insert({ id }).onConflict('only_row').ignore();
  const recorded = await readErasureLogId(database);
  if (recorded === undefined) throw new SiteError('PostgreSQL returned no list of erasures.');

  return recorded;
}

/**
 * PostgreSQL's time, with which requests are stamped, rounded up to the milliseconds that are kept:
 * what is there now was received before it.
 */
export async function readErasureTime(database: Database): Promise<Date> {
  const { rows } = await database.raw<{ rows: Array<{ time: Date }> }>(
    "select date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond' as time",
  );
  if (!rows[0]) throw new SiteError('PostgreSQL told no time.');

  return rows[0].time;
}
