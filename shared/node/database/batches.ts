import type { Knex } from 'knex';
import type { Database, Transaction } from './database.ts';

const BATCH_SIZE = 500;

/** Reads any number of rows through a cursor, 500 at a time, as of the query's beginning. */
export async function* selectInBatches<Row>(
  database: Database,
  makeQuery: (transaction: Transaction) => Knex.QueryBuilder,
): AsyncGenerator<Row[]> {
  const transaction = await database.transaction();

  try {
    // The consumer may take long between two fetches.
    await transaction.raw('set local idle_in_transaction_session_timeout = 0');
    await transaction.raw('declare batches no scroll cursor for ?', [makeQuery(transaction)]);
    for (;;) {
      const { rows } = await transaction.raw<{ rows: Row[] }>(`fetch ${BATCH_SIZE} from batches`);
      if (rows.length === 0) return;
      yield rows;
    }
  } finally {
    await transaction.rollback();
  }
}
