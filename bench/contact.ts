import pg from 'pg';
import { apiPaths } from '../shared/paths.ts';
import { waitFor } from '../tests/support/wait-for.ts';
import type { ContactStep } from './baselines/contact.ts';
import type { Benchmark, OnCleanup } from './harness/benchmark.ts';
import { runInterleaved, type Results } from './harness/compare.ts';
import { sendArrivals, sendLoad } from './harness/load.ts';
import { moveToLoadCore, startPinnedServer, type PinnedServer } from './harness/pinned-process.ts';
import { formatNumber, formatTable, type Cell } from './harness/report.ts';
import { PUBLIC_HOST, startStores, type Stores } from './harness/stores.ts';

const CONNECTIONS = 32;
const WARM_UP_SECONDS = 2;
const SECONDS = { full: 5, quick: 1 } as const;

/** So few that each response waits for its own work alone; the slowest of a hundred need many to be known. */
const ARRIVALS_PER_SECOND = 20;
const ARRIVALS_SECONDS = { full: 30, quick: 2 } as const;

/** The outbox's rows of one request: three mails and an export. */
const DELIVERIES_EACH = 4;

/** Counts what belongs to queues: limits have keys too, of each client. */
const COUNT_QUEUE_KEYS = "return #redis.call('KEYS', 'bull:*')";
/** More keys than the queues have beside the jobs. */
const MAX_OTHER_KEYS = 50;

/** A server that stores contact requests, and what each request leaves behind. */
interface Target {
  readonly name: string;
  /** Entry file and arguments. */
  readonly args: readonly string[];
  readonly deliveries: number;
  readonly jobs: number;
}

const makeBaseline = (step: ContactStep, name: string, deliveries: number, jobs: number): Target => ({
  name,
  args: ['bench/baselines/contact.ts', step],
  deliveries,
  jobs,
});

const leastWithoutRedis = makeBaseline('insert', 'plain Fastify: schema, insert', 0, 0);
const least = makeBaseline('job', 'plain Fastify: schema, insert, one job', 0, 1);
const product: Target = {
  name: 'the site: `POST /api/contact-submissions`',
  args: ['server/main.ts'],
  deliveries: DELIVERIES_EACH,
  jobs: DELIVERIES_EACH,
};
/** With Redis, each with what those before it do. */
const steps: readonly Target[] = [
  least,
  makeBaseline('transaction', '+ a transaction', 0, 1),
  makeBaseline('deliveries', '+ four deliveries (outbox)', DELIVERIES_EACH, 1),
  makeBaseline('jobs', '+ a job for each delivery', DELIVERIES_EACH, DELIVERIES_EACH),
  product,
];

/** Latency and processor time in milliseconds; memory of the server's process after the load. */
interface ContactResults extends Results {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuMs: number;
  readonly memoryMib: number;
}

type ArrivalResults = Pick<ContactResults, 'p50' | 'p99' | 'cpuMs'>;

interface Setup extends Pick<Stores, 'redis'> {
  readonly database: pg.Client;
  readonly servers: ReadonlyMap<Target, PinnedServer>;
  readonly seconds: number;
  hasRedis: boolean;
  /** Responses of all runs. */
  responses: number;
}

/** Waits until the requests that wrk left without a response are stored. */
async function untilIdle({ database }: Setup): Promise<void> {
  await waitFor('the last request', async () => {
    const { rowCount } = await database.query(
      `select from pg_stat_activity where application_name = 'web'
      and (state <> 'idle' or state_change > now() - interval '200 milliseconds')`,
    );

    return rowCount === 0;
  });
}

/**
 * Each response has a row, and each row its deliveries and jobs. When its time is over wrk leaves at most
 * one request of each connection without a response, which may be stored too.
 * @throws when that isn't so
 */
async function checkRows({ database, redis, hasRedis }: Setup, responses: number, target: Target): Promise<void> {
  const { rows } = await database.query<{ requests: number; deliveries: number }>(
    `select (select count(*)::int from contact_submissions) as requests,
    (select count(*)::int from deliveries) as deliveries`,
  );
  const [{ requests, deliveries } = { requests: 0, deliveries: 0 }] = rows;
  const unanswered = requests - responses;
  if (unanswered < 0 || unanswered > 2 * CONNECTIONS || deliveries !== requests * target.deliveries) {
    throw new Error(`${responses} responses, but ${requests} rows and ${deliveries} deliveries.`);
  }
  if (!hasRedis) return;
  // The site queues after its response.
  await waitFor(`the jobs of ${requests} requests`, async () => {
    const others = Number(await redis.command('EVAL', COUNT_QUEUE_KEYS, '0')) - requests * target.jobs;

    return others >= 0 && others < MAX_OTHER_KEYS;
  });
}

/** Empties the tables for a run. */
async function prepareServer({ database, redis, servers, hasRedis }: Setup, target: Target): Promise<PinnedServer> {
  const server = servers.get(target);
  if (!server) throw new Error(`${target.name} was not started.`);
  await database.query('truncate contact_submissions cascade');
  if (hasRedis) await redis.command('FLUSHALL');

  return server;
}

/** One run of as many requests as a server takes, from empty tables on. */
async function measure(setup: Setup, target: Target): Promise<ContactResults> {
  const { seconds } = setup;
  const server = await prepareServer(setup, target);
  const load = {
    url: server.origin + apiPaths.contactSubmissions,
    connections: CONNECTIONS,
    isContact: true,
    headers: { Host: PUBLIC_HOST },
  };
  const warmUp = await sendLoad({ ...load, seconds: WARM_UP_SECONDS });
  const cpuBefore = await server.readCpuMs();
  const { requests, ms, p50, p99 } = await sendLoad({ ...load, seconds });
  await untilIdle(setup);
  // Includes what is done after the response.
  const cpuMs = (await server.readCpuMs()) - cpuBefore;
  const responses = warmUp.requests + requests;
  await checkRows(setup, responses, target);
  setup.responses += responses;

  return {
    perSecond: requests / (ms / 1_000),
    p50,
    p99,
    cpuMs: cpuMs / requests,
    memoryMib: await server.readMemoryMib(),
  };
}

/** One run of few requests a second, from empty tables on. */
async function measureArrivals(setup: Setup, target: Target, seconds: number): Promise<ArrivalResults> {
  const server = await prepareServer(setup, target);
  const requests = ARRIVALS_PER_SECOND * seconds;
  const cpuBefore = await server.readCpuMs();
  const latency = await sendArrivals({ origin: server.origin, perSecond: ARRIVALS_PER_SECOND, seconds });
  await untilIdle(setup);
  const cpuMs = ((await server.readCpuMs()) - cpuBefore) / requests;
  await checkRows(setup, requests, target);
  setup.responses += requests;

  return { ...latency, cpuMs };
}

async function startSetup(seconds: number, onCleanup: OnCleanup): Promise<Setup> {
  moveToLoadCore();
  const { databaseUrl, redis, settings } = await startStores(onCleanup);
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  onCleanup(() => database.end());
  const servers = new Map<Target, PinnedServer>();
  for (const target of [leastWithoutRedis, ...steps]) {
    const server = await startPinnedServer(target.args, { ...settings, TRUST_PROXY: '127.0.0.1' });
    onCleanup(server.stop);
    servers.set(target, server);
  }

  return { database, redis, servers, seconds, hasRedis: true, responses: 0 };
}

/** Each target beside the first. */
function formatResults(targets: readonly Target[], results: readonly ContactResults[]): string {
  const [first] = results;
  const rows = targets.flatMap(({ name }, index): Cell[][] => {
    const own = results[index];
    if (!own || !first) return [];
    const { perSecond, p50, p99, cpuMs, memoryMib } = own;

    return [[name, perSecond, perSecond / first.perSecond, p50, p99, cpuMs, memoryMib]];
  });

  return formatTable(
    ['', 'requests/s', 'ratio', 'p50 ms', 'p99 ms', 'CPU ms/request', 'memory MiB'],
    rows,
  );
}

function formatArrivals(targets: readonly Target[], results: readonly ArrivalResults[]): string {
  const rows = results.map(({ p50, p99, cpuMs }, index): Cell[] => [targets[index]?.name ?? '', p50, p99, cpuMs]);

  return formatTable(['', 'p50 ms', 'p99 ms', 'CPU ms/request'], rows);
}

/** Contact requests, beside the least that could store them, with Redis and without. */
export const benchmark: Benchmark = {
  prerequisites: ['wrk', 'redis-server'],
  packages: ['fastify', 'knex', 'pg', 'bullmq', 'ioredis'],
  measure: async ({ isQuick, runs, onCleanup }) => {
    const setup = await startSetup(isQuick ? SECONDS.quick : SECONDS.full, onCleanup);
    const compare = (targets: readonly Target[]) =>
      runInterleaved(targets, (target) => measure(setup, target), runs);
    const withRedis = await compare(steps);
    const arrivalSeconds = isQuick ? ARRIVALS_SECONDS.quick : ARRIVALS_SECONDS.full;
    const few = [least, product];
    const arrivals = await runInterleaved(few, (target) => measureArrivals(setup, target, arrivalSeconds), runs);
    await setup.redis.kill();
    setup.hasRedis = false;
    const outage = [leastWithoutRedis, product];
    const withoutRedis = await compare(outage);

    return [
      `${CONNECTIONS} connections, ${setup.seconds} s each after a warm-up, from empty tables; every request ` +
        'has an id of its own. Each line includes those above it:',
      formatResults(steps, withRedis),
      `At ${ARRIVALS_PER_SECOND} requests a second, for ${arrivalSeconds} s each:`,
      formatArrivals(few, arrivals),
      'While Redis is away:',
      formatResults(outage, withoutRedis),
      `Each of ${formatNumber(setup.responses)} responses had its row, with its deliveries and jobs.`,
    ];
  },
};
