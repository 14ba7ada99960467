import type { Database } from '../database.ts';

/** Deletes what has no further use: proofs of work that can't be spent any more, and old digests. */
export async function deleteLeftovers(database: Database, months: number): Promise<void> {
  await database('spent_proofs').whereRaw('expires_at < now()').delete();
  await database('digests').whereRaw('day < now() - make_interval(months => ?)', [months]).delete();
}
