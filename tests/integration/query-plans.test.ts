import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { countSubmissions, countOpenSubmissions } from '../../shared/node/contact/list-submissions.ts';
import { countUnreported } from '../../shared/node/held-requests/held-requests.ts';
import { readResponseTimeMetrics } from '../../shared/node/contact/response-time-metrics.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { claimNextDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import {
  countDeliveries,
  countUnfinishedGroups,
} from '../../shared/node/deliveries/list-deliveries.ts';
import { listPendingDeliveries } from '../../shared/node/deliveries/sweep-queries.ts';
import { createResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { Hour } from '../../shared/time.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';

const promise = createResponsePromise({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour });
const lease = { token: randomUUID(), ms: 1 };

/** Returns the plans for a function's queries. The planner uses indexes if it can, even though the tables are small. */
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
  ['open requests', (database) => countOpenSubmissions(database, promise)],
  ['dead deliveries', (database) => countDeliveries(database, { state: 'dead' })],
  ['the gauges for unfinished deliveries', (database) => countUnfinishedGroups(database)],
  ['the gauges for the response promise', (database) => readResponseTimeMetrics(database, promise)],
  ['held requests', (database) => countSubmissions(database, { isQuarantined: true })],
  ['held requests that no mail has listed', (database) => countUnreported(database)],
  ['overdue requests', (database) => countSubmissions(database, { overdueBy: promise })],
])('the query for %s uses indexes and reads no completed deliveries', async (_what, run) => {
  // Looking up a delivery's subject by its id is allowed.
  const plan = (await explain(run)).replaceAll(/ using (?:contact_submissions|submission_events)_pkey .*\n\s*Index Cond: \(id = /g, '');

  expect(plan).toMatch(/Index/);
  expect(plan).not.toMatch(/Seq Scan|Scan (?:Backward )?using \w+_(?:pkey|received_at)/);
  // A bitmap scan of an entire index is not allowed.
  expect(plan).not.toMatch(/Bitmap Index Scan on \w+_(?:pkey|received_at)\b.*\n(?!\s*Index Cond)/);
});

test('the query for pending deliveries uses an index on open deliveries', async () => {
  const plan = await explain((database) => listPendingDeliveries(database).next());

  expect(plan).toMatch(/deliveries_(?:open|pending)/);
  expect(plan).not.toMatch(/Seq Scan on deliveries|deliveries_pkey/);
});

test('claiming the next delivery takes the first entry from an index on open deliveries, so it sorts nothing', async () => {
  // Updating that delivery by its id is allowed.
  const plan = (await explain((database) => claimNextDelivery(database, 'crm-export', 0, lease)))
    .replace(/ using deliveries_pkey .*\n\s*Index Cond: \(id = /, '');

  expect(plan).toMatch(/deliveries_open_of_kind/);
  expect(plan).not.toMatch(/Sort|Seq Scan on deliveries|deliveries_pkey/);
});
