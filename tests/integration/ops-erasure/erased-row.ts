import type { Database } from '../../../shared/node/database/database.ts';

/** An erased request's values. */
export const erasedRow = {
  ...{ name: 'erased', email: 'erased@invalid.example', company: 'erased' },
  ...{ phone: null, industry: null, message: null, source: null, visited_paths: null, body_hash: null },
};

export const readRow = (database: Database, id: string) => database('contact_submissions').where({ id }).first();
