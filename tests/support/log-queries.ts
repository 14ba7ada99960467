import pg from 'pg';

/*
 * Loaded before a program (`node --import`): a line on standard error for each statement that is sent
 * to PostgreSQL, so that those of a request can be counted.
 */

const query: unknown = Reflect.get(pg.Client.prototype, 'query');
if (typeof query !== 'function') throw new TypeError('pg has no query to listen to.');

/** The statement of a call: pg takes a text, or an object that has it. */
function getText(statement: unknown): string {
  return typeof statement === 'string' ? statement : String(Reflect.get(Object(statement), 'text'));
}

Reflect.set(pg.Client.prototype, 'query', function logQuery(this: unknown, ...args: unknown[]) {
  process.stderr.write(`query ${JSON.stringify(getText(args[0]))}\n`);

  return Reflect.apply(query, this, args) as unknown;
});
