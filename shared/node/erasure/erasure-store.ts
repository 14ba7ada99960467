import { createHmac, randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { Database } from '../database/database.ts';
import { SiteError } from '../logging/describe-error.ts';

/** Whom an erasure is about: everything of one address, or one request. */
const erasureKinds = ['email', 'submission'] as const;
export type ErasureKind = (typeof erasureKinds)[number];

interface ErasureKey {
  /** Identifies the key without revealing it; stored with every hash made with it. */
  readonly id: string;
  readonly hash: (kind: ErasureKind, subject: string) => string;
}

const makeHmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);

/** The keys of the configured secrets, in their order: the first is used for new hashes. */
export function makeErasureKeys(secrets: readonly string[]): readonly ErasureKey[] {
  return secrets.map((secret) => {
    // A key for this purpose alone: no signature of a link says anything about a hash.
    const key = makeHmac(secret, 'erasures').digest();

    return {
      id: makeHmac(key, 'key id').digest('hex').slice(0, 16),
      hash: (kind, subject) => makeHmac(key, `${kind} ${subject}`).digest('hex'),
    };
  });
}

const ERASURES = 'erasures';
export const ERASURE_LIST = 'erasure_list';

/** That somebody was erased, and when; not who. */
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

/** By subject, the latest of its erasures. */
export const getLatestBySubject = (list: readonly Erasure[]): ReadonlyMap<string, Erasure> =>
  new Map(
    list
      .toSorted((one, other) => one.erased_at.getTime() - other.erased_at.getTime())
      .map((erasure) => [erasure.subject_hash, erasure]),
  );

/** The latest of each subject's that `list` doesn't have, or has with an earlier time. */
export function listMissing(all: readonly Erasure[], list: readonly Erasure[]): Erasure[] {
  const known = getLatestBySubject(list);

  return [...getLatestBySubject(all).values()].filter(
    ({ subject_hash: hash, erased_at: at }) => (known.get(hash)?.erased_at ?? 0) < at,
  );
}

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
        erased_at: database.raw('greatest(erasures.erased_at, excluded.erased_at)'),
      });
  }
}

interface ListRow {
  id: string;
}

/** The id of the erasure log that was begun for this database; undefined before that. */
export async function readErasureLogId(database: Database): Promise<string | undefined> {
  const row = await database<ListRow>(ERASURE_LIST).first('id');

  return row?.id;
}

/** Begins an erasure log unless the database has one. */
export async function ensureErasureLogId(database: Database): Promise<void> {
  await database<ListRow>(ERASURE_LIST).insert({ id: randomUUID() }).onConflict('only_row').ignore();
}

/** PostgreSQL's time rounded up to milliseconds: existing requests were received before it. */
export async function readErasureTime(database: Database): Promise<Date> {
  const { rows } = await database.raw<{ rows: Array<{ time: Date }> }>(
    "select date_trunc('milliseconds', clock_timestamp()) + interval '1 millisecond' as time",
  );
  if (!rows[0]) throw new SiteError('PostgreSQL returned no time.');

  return rows[0].time;
}
