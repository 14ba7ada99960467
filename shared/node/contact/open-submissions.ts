import type { Database } from '../database/database.ts';
import type { ResponsePromise } from '../response-promise/response-promise.ts';
import { SUBMISSIONS } from './contact-submission-store.ts';
import { IS_HELD, IS_OPEN, IS_UNREVIEWED, selectDeadline } from './submission-state.ts';

export interface OpenCounts {
  readonly open: number;
  /** Open, and the promised time has passed by PostgreSQL's clock. */
  readonly overdue: number;
  /** Held as possible spam and unreviewed. */
  readonly held: number;
}

/** Counts the requests that nobody has settled. */
export async function countOpenSubmissions(database: Database, promise: ResponsePromise): Promise<OpenCounts> {
  const answerBy = selectDeadline(database, promise.answer);

  // Without the conditions every request would be read.
  return database(SUBMISSIONS).whereRaw(`(${IS_OPEN}) or (${IS_HELD})`).first<OpenCounts>(
    database.raw(`(count(*) filter (where ${IS_OPEN}))::int as open`),
    database.raw(`(count(*) filter (where ${IS_OPEN} and ? <= now()))::int as overdue`, [answerBy]),
    database.raw(`(count(*) filter (where ${IS_UNREVIEWED}))::int as held`),
  );
}
