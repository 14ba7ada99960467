import pg from 'pg';
import { QUERY_MARK } from '../count-queries.ts';

/*
 * Loaded before a program (`node --import`): a line on standard error for each statement that is sent
 * to PostgreSQL, so that those of a request can be counted.
 */

const query: unknown = Reflect.get(pg.Client.prototype, 'query');
if (typeof query !== 'function') throw new TypeError('pg has no query to listen to.');

Reflect.set(pg.Client.prototype, 'query', function tell(this: unknown, ...args: unknown[]) {
  process.stderr.write(`${QUERY_MARK}\n`);

  return Reflect.apply(query, this, args) as unknown;
});
