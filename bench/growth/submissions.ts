import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { findFreePort } from '../../scripts/free-port.ts';
import { Second } from '../../shared/time.ts';
import type { BenchmarkContext } from '../harness/benchmark.ts';
import { runInterleaved } from '../harness/compare.ts';
import { sendArrivals } from '../harness/load.ts';
import {
  startPinned,
  startPinnedServer,
  type Environment,
  type PinnedServer,
} from '../harness/pinned-process.ts';
import { formatGrowthTable, formatNumber, formatTable, type Cell, type GrowthRow } from '../harness/report.ts';
import type { History } from './history.ts';

type Histories = readonly [History, History];

const POSTS_PER_SECOND = 20;

/** Of a command, in MiB: with more V8 leaves garbage, and rows that pile up aren't seen. */
const HEAP_LIMIT = 64;

/** How often the memory of a command is read. */
const POLL_INTERVAL = 0.05 * Second;

/** A backend reports its statistics when it exits, or after 10 idle seconds (PGSTAT_IDLE_INTERVAL). */
const STATISTICS_DELAY = 12 * Second;

/** Time for a sweep of the worker, which comes every 30 s. */
const SWEEP_TIME = 35 * Second;

/** A request with its deliveries sent, and one that is held; in both histories. */
const SENT = { id: getSubmissionId(400), email: 'ada.400@example.org' };
const HELD_ID = getSubmissionId(31);

function getSubmissionId(number: number): string {
  const hash = createHash('md5').update(String(number)).digest('hex');

  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** An action of the product on one history. */
interface Action {
  readonly what: string;
  /** What it reads because that is its purpose; else only what it is about. */
  readonly reads?: 'all' | '30 days';
  readonly run: (settings: Environment, read: ReadRows) => Promise<ActionResults>;
}

/** Rows read by what `work` does, once the statistics are complete. */
type ReadRows = (work: () => Promise<unknown>) => Promise<number>;

interface ActionResults {
  readonly rows: number;
  readonly ms: number;
  /** The most it took. */
  readonly memoryMib: number;
}

/** Rows and index entries that all backends have read, from PostgreSQL's cumulative statistics. */
function makeReadRows(client: pg.Client): ReadRows {
  const read = async () => {
    const { rows } = await client.query<{ read: string }>(
      `select (select sum(seq_tup_read) from pg_stat_user_tables)
      + (select sum(idx_tup_read) from pg_stat_user_indexes) as read`,
    );

    return Number(rows[0]?.read);
  };

  return async (work) => {
    const before = await read();
    await work();

    return (await read()) - before;
  };
}

/** Runs an operator's command and polls its memory. @throws when it fails */
async function runCommand(args: readonly string[], settings: Environment): Promise<Omit<ActionResults, 'rows'>> {
  const startedAt = performance.now();
  const command = startPinned([`--max-old-space-size=${HEAP_LIMIT}`, 'ops/main.ts', ...args], settings);
  let memoryMib = 0;
  while (!command.hasExited()) {
    memoryMib = Math.max(memoryMib, await command.readMemoryMib().catch(() => 0));
    await wait(POLL_INTERVAL);
  }
  const ms = performance.now() - startedAt;
  const [exitCode, output] = [command.exitCode(), command.output()];
  await command.stop();
  if (exitCode !== 0) throw new Error(`${args.join(' ')} exited with ${exitCode}: ${output}`);

  return { ms, memoryMib };
}

const makeCommand = (args: readonly string[], reads?: Action['reads']): Action => ({
  what: `\`${args.filter((arg) => !/[/@]|^[0-9a-f-]{36}$/.test(arg)).join(' ')}\``,
  ...(reads ? { reads } : {}),
  run: async (settings, read) => {
    let results = { ms: Number.NaN, memoryMib: Number.NaN };
    const rows = await read(async () => {
      results = await runCommand(args, settings);
    });

    return { ...results, rows };
  },
});

/** What a worker's sweeps read while nothing is due. */
const idleWorker: Action = {
  what: `worker, idle for ${SWEEP_TIME / Second} s: CPU ms`,
  run: async (settings, read) => {
    const worker = startPinned(['jobs/main.ts'], settings);
    try {
      await wait(STATISTICS_DELAY);
      const before = await worker.readCpuMs();
      let ms = Number.NaN;
      const rows = await read(async () => {
        await wait(SWEEP_TIME);
        ms = (await worker.readCpuMs()) - before;
        if (worker.hasExited()) throw new Error(worker.output());
        await wait(STATISTICS_DELAY);
      });

      return { rows, ms, memoryMib: await worker.readMemoryMib() };
    } finally {
      await worker.stop();
    }
  },
};

/** Scrapes of the metrics; the first counts what is finished, which the next ones keep. */
const makeScrape = (what: string, reads: Action['reads'], scrapesBefore: number): Action => ({
  what,
  ...(reads ? { reads } : {}),
  run: async (settings, read) => {
    const port = String(await findFreePort());
    const web = await startPinnedServer(['server/main.ts'], { ...settings, METRICS_PORT: port });
    const scrape = async () => {
      const startedAt = performance.now();
      const response = await fetch(`http://127.0.0.1:${port}/metrics`);
      await response.text();
      if (!response.ok) throw new Error(`The metrics have ${response.status}.`);

      return performance.now() - startedAt;
    };
    try {
      for (let number = 0; number < scrapesBefore; number += 1) await scrape();
      await wait(STATISTICS_DELAY);
      let ms = Number.NaN;
      const rows = await read(async () => {
        ms = await scrape();
        await wait(STATISTICS_DELAY);
      });

      return { rows, ms, memoryMib: await web.readMemoryMib() };
    } finally {
      await web.stop();
    }
  },
});

/** In this order: each leaves less to the next than it found. */
const listActions = (folder: string): readonly Action[] => [
  makeCommand(['--help']),
  idleWorker,
  makeScrape('metrics: first scrape', 'all', 0),
  makeScrape('metrics: next scrape', '30 days', 1),
  makeCommand(['submissions', 'list'], 'all'),
  makeCommand(['submissions', 'list', '--open']),
  makeCommand(['submissions', 'list', '--overdue']),
  makeCommand(['submissions', 'list', '--quarantined']),
  makeCommand(['submissions', 'show', SENT.id]),
  makeCommand(['deliveries', 'list'], 'all'),
  makeCommand(['submissions', 'release', HELD_ID]),
  // Leaves an erasure, so that retention looks for erased people in all that is left.
  makeCommand(['submissions', 'erase', '--email', SENT.email, '--yes'], 'all'),
  makeCommand(
    ['submissions', 'export', '--all', '--format', 'csv', '--output', join(folder, 'requests.csv')],
    'all',
  ),
  makeCommand(['retention', '--yes'], 'all'),
];

async function compareActions(histories: Histories, folder: string): Promise<string> {
  const clients: Array<readonly [History, ReadRows]> = [];
  const closings: Array<() => Promise<void>> = [];
  for (const history of histories) {
    const client = new pg.Client({ connectionString: history.url });
    await client.connect();
    closings.push(() => client.end());
    clients.push([history, makeReadRows(client)]);
  }
  const rows: Cell[][] = [];
  try {
    for (const { what, reads, run } of listActions(folder)) {
      const results: ActionResults[] = [];
      for (const [{ settings }, read] of clients) results.push(await run(settings, read));
      const all = `×${formatNumber(histories[1].requests / histories[0].requests)}`;
      rows.push([
        what,
        ...results.map((result) => result.rows),
        ...results.map(({ ms }) => ms),
        ...results.map(({ memoryMib }) => memoryMib),
        reads === 'all' ? all : (reads ?? '–'),
      ]);
    }
  } finally {
    for (const close of closings) await close();
  }
  const [few, many] = histories.map(({ requests }) => formatNumber(requests));

  return formatTable(
    ['action', ...['rows read', 'ms', 'MiB'].flatMap((unit) => [`${unit} at ${few}`, `at ${many}`]), 'data ratio'],
    rows,
  );
}

/** Posts at a constant rate beside both histories. */
async function comparePosts(histories: Histories, { isQuick, runs, onCleanup }: BenchmarkContext): Promise<string> {
  const plan = { perSecond: POSTS_PER_SECOND, seconds: isQuick ? 2 : 10 };
  const servers: PinnedServer[] = [];
  for (const { settings } of histories) {
    const server = await startPinnedServer(['server/main.ts'], { ...settings, TRUST_PROXY: '127.0.0.1' });
    onCleanup(server.stop);
    servers.push(server);
  }
  const post = async ({ origin, readCpuMs }: PinnedServer) => {
    const before = await readCpuMs();
    const latency = await sendArrivals({ ...plan, origin });

    return { ...latency, cpuMs: ((await readCpuMs()) - before) / (plan.perSecond * plan.seconds) };
  };
  // The first posts open connections and compile.
  for (const server of servers) await post(server);
  const [few, many] = await runInterleaved(servers, post, runs);
  for (const server of servers) await server.stop();
  const names = { p50: 'POST, p50 ms', p99: 'POST, p99 ms', cpuMs: 'POST, CPU ms' } as const;
  const rows = Object.entries(names).map(([name, what]): GrowthRow => {
    const key = name as keyof typeof names;

    return { what, small: few?.[key] ?? Number.NaN, large: many?.[key] ?? Number.NaN, dataRatio: 1 };
  });
  const [small, large] = histories.map(({ requests }) => `${formatNumber(requests)} requests`);

  return formatGrowthTable([small ?? '', large ?? ''], rows);
}

/**
 * Compares what the product does beside a short and a long history of requests, which it changes.
 * @param folder for exports
 * @returns tables and sentences, in Markdown
 */
export async function measureSubmissionGrowth(
  histories: Histories,
  folder: string,
  context: BenchmarkContext,
): Promise<string[]> {
  const actions = await compareActions(histories, folder);

  return [
    await comparePosts(histories, context),
    `Posts arrive at ${POSTS_PER_SECOND} a second. Commands, with their start and a heap of ${HEAP_LIMIT} MiB; ` +
      'rows are those of tables and indexes that PostgreSQL read:',
    actions,
  ];
}
