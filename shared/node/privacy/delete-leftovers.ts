import type { Database } from '../database.ts';

/**
 * Deletes what has no further use: proofs of work that can't be spent any more (an hour later, since
 * the clock that refuses expired ones is the web process's), and old digests.
 */
export async function deleteLeftovers(database: Database, months: number): Promise<void> {
  await database('spent_proofs').whereRaw("expires_at < now() - interval '1 hour'").delete();
  await database('digests').whereRaw('day < now() - make_interval(months => ?)', [months]).delete();
}
