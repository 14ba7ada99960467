import pg from 'pg';
import { apiPaths } from '../shared/paths.ts';
import { waitFor } from '../tests/support/wait-for.ts';
import { runInterleaved, sendLoad, type Results } from './harness/load.ts';
import { startPinnedServer, type BenchmarkContext, type PinnedServer } from './harness/pinned-server.ts';
import { formatTable } from './harness/report.ts';
import { PUBLIC_HOST, startStores } from './harness/stores.ts';

/** Duration of each run in seconds. */
const SECONDS = { warmUp: 2, full: 5, quick: 1 } as const;

/** A server that stores contact requests. */
interface Target {
  readonly name: string;
  readonly server: PinnedServer;
  /** Outbox rows per request. */
  readonly deliveries: number;
}

/** Waits until the server has stored the requests that wrk abandoned at the end of its run. */
async function untilIdle(database: pg.Client): Promise<void> {
  await waitFor('the last request', async () => {
    const { rowCount } = await database.query(
      `select from pg_stat_activity where application_name = 'web'
      and (state <> 'idle' or state_change > now() - interval '200 milliseconds')`,
    );

    return rowCount === 0;
  });
}

/**
 * Checks that each response has a row, and that each row has its deliveries. At the end of a run, wrk abandons at most
 * one request per connection. These requests may have rows too.
 * @throws if the counts don't match
 */
async function checkRows(database: pg.Client, responses: number, deliveriesEach: number): Promise<void> {
  const { rows } = await database.query<{ requests: number; deliveries: number }>(
    `select (select count(*)::int from contact_submissions) as requests,
    (select count(*)::int from deliveries) as deliveries`,
  );
  const [{ requests, deliveries } = { requests: 0, deliveries: 0 }] = rows;
  const unanswered = requests - responses;
  if (unanswered < 0 || unanswered > 2 * 32 || deliveries !== requests * deliveriesEach) {
    throw new Error(`${responses} responses, but ${requests} rows and ${deliveries} deliveries.`);
  }
}

/** Compares the site's contact endpoint with a minimal server that stores requests. @returns blocks of Markdown */
export async function measureContact(context: BenchmarkContext): Promise<readonly string[]> {
  const seconds = context.isQuick ? SECONDS.quick : SECONDS.full;
  const { databaseUrl, redis, settings } = await startStores(context);
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  context.onCleanup(() => database.end());
  const start = (entry: string) =>
    startPinnedServer(context, [entry], { ...settings, TRUST_PROXY: '127.0.0.1' }, apiPaths.live);
  const targets: Target[] = [
    { name: 'plain Fastify: schema, insert, one job', server: await start('bench/baselines/contact.ts'), deliveries: 0 },
    { name: 'the site: `POST /api/contact-submissions`', server: await start('server/main.ts'), deliveries: 4 },
  ];
  let allResponses = 0;
  const measure = async ({ server, deliveries }: Target): Promise<Results> => {
    await database.query('truncate contact_submissions cascade');
    await redis.command('FLUSHALL');
    const url = server.origin + apiPaths.contactSubmissions;
    const load = { url, isContact: true, headers: { Host: PUBLIC_HOST } };
    const warmUp = await sendLoad(load, SECONDS.warmUp);
    const before = await server.readCpuMs();
    const { requests, ms, p50, p99 } = await sendLoad(load, seconds);
    await untilIdle(database);
    // This includes work done after the response.
    const cpuMs = ((await server.readCpuMs()) - before) / requests;
    await checkRows(database, warmUp.requests + requests, deliveries);
    allResponses += warmUp.requests + requests;

    return { perSecond: requests / (ms / 1_000), p50, p99, cpuMs };
  };
  const results = await runInterleaved(targets, measure, context.isQuick ? 1 : 3);
  const least = results[0]?.perSecond ?? Number.NaN;
  const rows = targets.map(({ name }, index) => {
    const { perSecond = 0, p50 = 0, p99 = 0, cpuMs = 0 } = results[index] ?? {};

    return [name, perSecond, perSecond / least, p50, p99, cpuMs];
  });

  return [
    `32 connections, ${seconds} s each after a warm-up, starting with empty tables. Every request has its own id.`,
    formatTable(['', 'requests/s', 'ratio', 'p50 ms', 'p99 ms', 'CPU ms/request'], rows),
    `Each of the ${allResponses} responses had a row and its deliveries.`,
  ];
}
