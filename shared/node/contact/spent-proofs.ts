import type { Database, Transaction } from '../database/database.ts';

const TABLE = 'spent_proofs';
/** With an hour's margin: web, which refuses expired ones, may have another clock than PostgreSQL. */
const IS_EXPIRED = "expires_at < now() - interval '1 hour'";

/** A proof of work, named by its challenge's signature. */
export interface SpentProof {
  readonly challenge: string;
  readonly expiresAt: Date;
}

interface SpentProofRow {
  challenge: string;
  expires_at: Date;
}

/**
 * Records a proof as used, with the transaction.
 * @returns false when it was used before
 */
export async function spendProof(
  transaction: Transaction,
  { challenge, expiresAt }: SpentProof,
): Promise<boolean> {
  const rows = await transaction<SpentProofRow>(TABLE)
    .insert({ challenge, expires_at: expiresAt })
    .onConflict('challenge')
    .ignore()
    .returning('challenge');

  return rows.length === 1;
}

/** Deletes the proofs whose challenges have expired; the database role of web may not delete. */
export async function deleteExpiredProofs(database: Database): Promise<void> {
  await database(TABLE).whereRaw(IS_EXPIRED).delete();
}
