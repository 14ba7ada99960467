import { createHmac, randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { Database } from '../database/database.ts';

/** What an erasure covers: all data for one address, or one request. */
const erasureKinds = ['email', 'submission'] as const;
export type ErasureKind = (typeof erasureKinds)[number];

interface ErasureKey {
  /** Identifies the key without revealing it. Stored with each hash. */
  readonly id: string;
  readonly hash: (kind: ErasureKind, subject: string) => string;
}

const makeHmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);

/** Derives the keys from the configured secrets, in the same order. The first key is used for new hashes. */
export function makeErasureKeys(secrets: readonly string[]): readonly ErasureKey[] {
  return secrets.map((secret) => {
    // Use a separate key, so that link signatures reveal nothing about hashes.
    const key = makeHmac(secret, 'erasures').digest();

    return {
      id: makeHmac(key, 'key id').digest('hex').slice(0, 16),
      hash: (kind, subject) => makeHmac(key, `${kind} ${subject}`).digest('hex'),
    };
  });
}

const ERASURES = 'erasures';
export const ERASURE_LIST = 'erasure_list';

/** An erasure. The hash hides who the subject is. */
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

/** Returns the latest erasure of each subject. */
export const getLatestBySubject = (list: readonly Erasure[]): ReadonlyMap<string, Erasure> =>
  new Map(
    list
      .toSorted((one, other) => one.erased_at.getTime() - other.erased_at.getTime())
      .map((erasure) => [erasure.subject_hash, erasure]),
  );

/** Returns each subject's latest erasure if `list` has none for the subject, or only an earlier one. */
export function listMissing(all: readonly Erasure[], list: readonly Erasure[]): Erasure[] {
  const known = getLatestBySubject(list);

  return [...getLatestBySubject(all).values()].filter(
    ({ subject_hash: hash, erased_at: at }) => (known.get(hash)?.erased_at ?? 0) < at,
  );
}

const BATCH_SIZE = 500;

/** Lists all erasures in the database. */
export async function listErasures(database: Database): Promise<Erasure[]> {
  return database<Erasure>(ERASURES).select('subject_hash', 'subject_kind', 'key_id', 'erased_at');
}

/** Records erasures. If a subject already has one, keeps the later time. */
export async function recordErasures(
  database: Database,
  erasures: readonly Erasure[],
): Promise<void> {
  for (let start = 0; start < erasures.length; start += BATCH_SIZE) {
    await database<Erasure>(ERASURES)
      .insert(erasures.slice(start, start + BATCH_SIZE))
      .onConflict('subject_hash')
      .merge({
        erased_at: database.raw('greatest(erasures.erased_at, excluded.erased_at)'),
      });
  }
}

interface ListRow {
  id: string;
}

/** Returns the id of this database's erasure log; undefined if it has none. */
export async function readErasureLogId(database: Database): Promise<string | undefined> {
  const row = await database<ListRow>(ERASURE_LIST).first('id');

  return row?.id;
}

/** Starts an erasure log unless the database has one. */
export async function ensureErasureLogId(database: Database): Promise<void> {
  await database<ListRow>(ERASURE_LIST).insert({ id: randomUUID() }).onConflict('only_row').ignore();
}

/** Returns PostgreSQL's time, rounded up to milliseconds so that existing requests are older. */
export async function readErasureTime(database: Database): Promise<Date> {
  const { rows } = await database.raw<{ rows: [{ time: Date }] }>(
    "select date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond' as time",
  );

  return rows[0].time;
}
