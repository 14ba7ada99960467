import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { listOpenSubmissions } from '../../shared/node/contact/open-submissions.ts';
import { countUnreported } from '../../shared/node/contact/held-mails.ts';
import { countSubmissions } from '../../shared/node/contact/list-submissions.ts';
import { readResponseTimeMetrics } from '../../shared/node/contact/response-time-metrics.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { countUnfinishedGroups } from '../../shared/node/deliveries/count-deliveries.ts';
import {
  findNextDelivery,
  listPendingDeliveries,
} from '../../shared/node/deliveries/delivery-upkeep.ts';
import { countDeliveries } from '../../shared/node/deliveries/list-deliveries.ts';
import { Hour } from '../../shared/time.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';

const DUE_AFTER = 24 * Hour;

/** The plans of a function's queries on tables so large that sequential scans are avoided. */
async function explain(run: (database: Database) => Promise<unknown>): Promise<string> {
  const url = await createMigratedDatabase();
  const database = openDatabase(url, onTestFinished);
  const queries: Array<{ sql: string; bindings?: readonly unknown[] }> = [];
  database.on('query', (query: (typeof queries)[number]) => queries.push(query));
  await run(database);

  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('set enable_seqscan = off');
  const plans: string[] = [];
  for (const { sql, bindings = [] } of queries) {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${sql}`, [...bindings]);
    plans.push(...rows.map((row) => row['QUERY PLAN']));
  }

  return plans.join('\n');
}

test.each<[string, (database: Database) => Promise<unknown>]>([
  ['the digest', (database) => listOpenSubmissions(database, { dueAfterMs: DUE_AFTER, limit: 50 })],
  ['dead deliveries', (database) => countDeliveries(database, { state: 'dead' })],
  ['the gauges of unfinished deliveries', (database) => countUnfinishedGroups(database)],
  [
    'the response-time metrics',
    (database) => readResponseTimeMetrics(database, { reminderAfter: 20 * Hour, dueAfter: DUE_AFTER }),
  ],
  ['held requests', (database) => countSubmissions(database, { isQuarantined: true })],
  ['held requests that no mail has reported', (database) => countUnreported(database, 0)],
  ['overdue requests', (database) => countSubmissions(database, { overdueAfter: DUE_AFTER })],
])('the query of %s reads no completed rows', async (_what, run) => {
  const plan = await explain(run);

  expect(plan).toMatch(/Index/);
  expect(plan).not.toMatch(/Seq Scan|Scan (?:Backward )?using \w+_(?:pkey|received_at)/);
  // Nor a bitmap scan of a whole index of all rows.
  expect(plan).not.toMatch(/Bitmap Index Scan on \w+_(?:pkey|received_at)\b.*\n(?!\s*Index Cond)/);
});

test.each<[string, (database: Database) => Promise<unknown>]>([
  ['the delivery that is tried next', (database) => findNextDelivery(database, 'follow-up', 0)],
  ['pending deliveries', (database) => listPendingDeliveries(database).next()],
])('the query of %s reads the index of open deliveries', async (_what, run) => {
  const plan = await explain(run);

  expect(plan).toMatch(/deliveries_open/);
  expect(plan).not.toMatch(/Seq Scan on deliveries|deliveries_pkey/);
});
