import pg from 'pg';
import { QUERY_MARK } from '../count-queries.ts';

/*
 * Loaded before a program (`node --import`): a line on standard error for each statement that is sent
 * to PostgreSQL, so that a request's can be counted.
 */


const query: unknown = Reflect.get(pg.Client.prototype, 'query');
if (typeof query !== 'function') throw new TypeError('pg has no query to listen to.');

Reflect.set(pg.Client.prototype, 'query', function tell(this: unknown, ...args: unknown[]) {
  const [config] = args;
  const text = typeof config === 'string' ? config : String(Object(config).text);
  process.stderr.write(`${QUERY_MARK}${text.replaceAll('\n', ' ')}\n`);

  return Reflect.apply(query, this, args) as unknown;
});
