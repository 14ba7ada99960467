import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { compareInTurns, findMedian } from './compare.ts';
import type { History } from './growth-history.ts';
import { compareQueries } from './growth-queries.ts';
import { writeGrowthTable, type GrowthRow } from './growth-table.ts';
import {
  startPinned,
  startPinnedServer,
  type Environment,
  type PinnedServer,
} from './pinned-process.ts';
import { writeNumber } from './report.ts';
import { sendArrivals } from './send-arrivals.ts';

const POSTS_PER_SECOND = 20;
const POST_SECONDS = 10;

/** Of a command, in MiB: without it V8 lets garbage lie, and nobody sees whether rows pile up. */
const HEAP_LIMIT = 64;

/** How often the memory of a command is looked at, in milliseconds. */
const LOOK_INTERVAL_MS = 50;

/** Somebody whose request is in both histories. */
const SOMEBODY = 'ada.400@example.org';

/**
 * Commands that read everything because that is what they are for. The first leaves an erasure, so
 * that retention, like a worker that starts, looks for erased people in all that is left.
 */
const listCommands = (folder: string) => ({
  'submissions erase --email': ['submissions', 'erase', '--email', SOMEBODY, '--yes'],
  'submissions export --all --format csv': [
    ...['submissions', 'export', '--all', '--format', 'csv'],
    ...['--output', join(folder, 'requests.csv')],
  ],
  retention: ['retention', '--yes'],
});

/** Settings of the product's processes that work on a history. */
export type MakeSettings = (history: History) => Environment;

/** Shorter than this many seconds is the noise between two starts. */
const SHORTEST = 0.2;

/** Runs one of the operator's commands and looks at its memory meanwhile. @throws when it fails */
async function runOperatorCommand(args: readonly string[], settings: Environment) {
  const startedAt = performance.now();
  const command = startPinned(
    [`--max-old-space-size=${HEAP_LIMIT}`, 'ops/main.ts', ...args],
    settings,
  );
  let mostMib = 0;
  while (!command.hasExited()) {
    mostMib = Math.max(mostMib, await command.readMemoryMib().catch(() => 0));
    await wait(LOOK_INTERVAL_MS);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const [exitCode, output] = [command.exitCode(), command.output()];
  await command.stop();
  if (exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${exitCode}: ${output}`);

  return { seconds, mostMib };
}

async function compareCommands(
  [small, big]: readonly [History, History],
  makeSettings: MakeSettings,
  folder: string,
): Promise<GrowthRow[]> {
  const rows: GrowthRow[] = [];
  const start = () => runOperatorCommand(['--help'], makeSettings(small));
  // The first reads what it runs from the disk.
  await start();
  const startSeconds = findMedian([await start(), await start(), await start()].map(({ seconds }) => seconds));
  const beyondStart = ({ seconds }: { seconds: number }) =>
    seconds - startSeconds < SHORTEST ? Number.NaN : seconds - startSeconds;
  for (const [name, args] of Object.entries(listCommands(folder))) {
    const [few, many] = [
      await runOperatorCommand(args, makeSettings(small)),
      await runOperatorCommand(args, makeSettings(big)),
    ];
    const grown = big.requests / small.requests;
    rows.push(
      {
        what: `\`${name}\`, s beyond a start`,
        small: beyondStart(few),
        big: beyondStart(many),
        dataGrowsBy: grown,
      },
      { what: `\`${name}\`, most MiB`, small: few.mostMib, big: many.mostMib, dataGrowsBy: 1 },
    );
  }

  return rows;
}

async function post(server: PinnedServer) {
  const before = await server.readCpuMs();
  const waits = await sendArrivals({
    origin: server.origin,
    perSecond: POSTS_PER_SECOND,
    seconds: POST_SECONDS,
  });
  const cpuMs = ((await server.readCpuMs()) - before) / (POSTS_PER_SECOND * POST_SECONDS);

  return { ...waits, cpuMs };
}

async function comparePosts(
  histories: readonly [History, History],
  makeSettings: MakeSettings,
): Promise<GrowthRow[]> {
  const servers: PinnedServer[] = [];
  try {
    for (const history of histories) {
      servers.push(await startPinnedServer(['server/main.ts'], makeSettings(history)));
    }
    // Its first request opens connections and compiles; it is not the one to measure.
    for (const server of servers) await post(server);
    const [few, many] = await compareInTurns(servers, post);
    if (!few || !many) throw new Error('There are two histories to compare.');

    return [
      { what: 'POST, p50 ms', small: few.p50, big: many.p50, dataGrowsBy: 1 },
      { what: 'POST, p99 ms', small: few.p99, big: many.p99, dataGrowsBy: 1 },
      { what: 'POST, CPU ms', small: few.cpuMs, big: many.cpuMs, dataGrowsBy: 1 },
    ];
  } finally {
    for (const server of servers) await server.stop();
  }
}

/**
 * Compares what the product does in a short and in a long history of requests. Both have changed
 * afterwards.
 * @param folder for what is exported
 * @returns tables and a sentence, in Markdown
 */
export async function measureSubmissionGrowth(
  histories: readonly [History, History],
  makeSettings: MakeSettings,
  folder: string,
): Promise<string[]> {
  const [small, big] = histories;
  const queries = await compareQueries(small, big);
  const rows = [
    ...(await comparePosts(histories, makeSettings)),
    ...(await compareCommands(histories, makeSettings, folder)),
  ];
  const heads = [small, big].map(({ requests }) => `${writeNumber(requests)} requests`);
  const [few = '', many = ''] = heads;

  return [
    writeGrowthTable([few, many], rows),
    `Posts arrive at ${POSTS_PER_SECOND} a second. Commands have a heap of ${HEAP_LIMIT} MiB; ` +
      `what takes less than ${SHORTEST} s beyond a start has a dash.`,
    'The statements, each as the product sends it:',
    queries,
  ];
}
