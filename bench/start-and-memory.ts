import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { projectRoot } from '../scripts/processes.ts';
import { Minute, Second } from '../shared/time.ts';
import { findDocker } from '../tests/stack/find-docker.ts';
import { measureImage } from '../tests/stack/image-size.ts';
import { runCommand, tryCommand } from '../tests/stack/run-command.ts';
import { makeContactBody, postContact } from '../tests/support/contact-request.ts';
import { pagePaths } from '../tests/support/site-content.ts';
import { recordResponse } from './baselines/recorded-response.ts';
import type { Benchmark, OnCleanup } from './harness/benchmark.ts';
import { runInterleaved } from './harness/compare.ts';
import { sendLoad } from './harness/load.ts';
import { moveToLoadCore, startPinnedServer, type Environment } from './harness/pinned-process.ts';
import { formatNumber, formatTable, type Cell } from './harness/report.ts';
import { imageEnvironment, startStores } from './harness/stores.ts';

/** Minutes of load and of silence after it; a start's runs vary more than those of a load. */
const SIZES = {
  full: { starts: 7, loadMinutes: 5, idleMinutes: 60 },
  quick: { starts: 1, loadMinutes: 0.2, idleMinutes: 0.1 },
} as const;

const CONNECTIONS = 32;
const SECONDS_EACH = 5;

const WEB = ['server/main.ts'];
const PLAIN = ['bench/baselines/plain-fastify.ts'];

/** What `fetch` sends, which polls a starting server. */
const POLL_HEADERS = { 'accept-encoding': 'gzip, deflate' };
const BROWSER_HEADERS = { 'accept-encoding': 'gzip, deflate, br, zstd' };

const IMAGES = ['site', 'ops', 'proxy'] as const;

/** Pages, a search that isn't cached, and what is no page. */
const loads = [
  ...pagePaths.map((path) => ({ path })),
  { path: '/insights?q=data', errors: 'some' as const },
  { path: '/no-such-page', errors: 'all' as const },
  { path: '/sitemap.xml' },
];

interface Start {
  readonly name: string;
  readonly args: readonly string[];
  readonly settings: Environment;
}

async function measureStart({ args, settings }: Start) {
  const server = await startPinnedServer(args, settings);
  try {
    return {
      ms: server.startMs,
      cpuMs: await server.readCpuMs(),
      memoryMib: await server.readMemoryMib(),
    };
  } finally {
    await server.stop();
  }
}

/** The same with a compile cache that one start has filled, as the image's is (Dockerfile). */
async function withCompileCache({ name, args, settings }: Start, folder: string): Promise<Start> {
  const cached = {
    name: `${name}, with a compile cache`,
    args,
    settings: { ...settings, NODE_COMPILE_CACHE: folder },
  };
  await measureStart(cached);

  return cached;
}

/** Records the home page for the baseline. */
async function recordHome(settings: Environment, file: string): Promise<void> {
  const server = await startPinnedServer(WEB, settings);
  try {
    await writeFile(file, JSON.stringify(await recordResponse(`${server.origin}/`, POLL_HEADERS)));
  } finally {
    await server.stop();
  }
}

/** Starts of the site beside a plain Fastify, both with a compile cache and without. */
async function compareStarts(settings: Environment, runs: number, onCleanup: OnCleanup): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-start-'));
  onCleanup(() => rm(folder, { recursive: true }));
  const file = join(folder, 'home.json');
  await recordHome(settings, file);
  const plain: Start = { name: 'plain Fastify', args: PLAIN, settings: { ...imageEnvironment, RESPONSE: file } };
  const site: Start = { name: 'the site', args: WEB, settings };
  const starts = [
    plain,
    site,
    await withCompileCache(plain, join(folder, 'plain')),
    await withCompileCache(site, join(folder, 'site')),
  ];
  const results = await runInterleaved(starts, measureStart, runs);
  const rows = starts.flatMap(({ name }, index): Cell[][] => {
    const [own, first, beside] = [results[index], results[0], results[index - (index % 2)]];
    if (!own || !first || !beside) return [];
    const { ms, cpuMs, memoryMib } = own;

    return [[name, ms, cpuMs, memoryMib, ms / beside.ms, ms / first.ms]];
  });

  return formatTable(
    ['start', 'to first 200 ms', 'CPU ms', 'memory MiB', 'ratio alike', 'ratio to plain Fastify'],
    rows,
  );
}

/** Posts contact requests one after another until the signal. @returns their number */
async function sendContacts(origin: string, signal: AbortSignal): Promise<number> {
  let count = 0;
  while (!signal.aborted) {
    const response = await postContact(origin, makeContactBody());
    await response.arrayBuffer();
    if (response.status !== 201) throw new Error(`A contact request got a ${response.status}.`);
    count += 1;
  }

  return count;
}

/** Gets one path after another, some seconds each, until the time is up. @returns the requests */
async function sendPages(origin: string, minutes: number): Promise<number> {
  const end = performance.now() + minutes * Minute;
  let requests = 0;
  for (let number = 0; ; number += 1) {
    const { path, ...load } = loads[number % loads.length] ?? { path: '/' };
    const seconds = Math.min(SECONDS_EACH, Math.round((end - performance.now()) / Second));
    if (seconds < 1) return requests;
    const url = origin + path;
    const options = { ...load, url, seconds, connections: CONNECTIONS, headers: BROWSER_HEADERS };
    requests += (await sendLoad(options)).requests;
  }
}

/** Memory of web at its start, after a mixed load, and after a time without requests. */
async function measureMemory(
  settings: Environment,
  { loadMinutes, idleMinutes }: { readonly loadMinutes: number; readonly idleMinutes: number },
): Promise<string[]> {
  const server = await startPinnedServer(WEB, settings);
  try {
    const rows: Cell[][] = [['at the first 200', await server.readMemoryMib()]];
    const isDone = new AbortController();
    const [requests, contacts] = await Promise.all([
      sendPages(server.origin, loadMinutes).finally(() => isDone.abort()),
      sendContacts(server.origin, isDone.signal),
    ]);
    rows.push([`after ${loadMinutes} minutes of load`, await server.readMemoryMib()]);
    await wait(idleMinutes * Minute);
    rows.push([`after ${idleMinutes} minutes without a request`, await server.readMemoryMib()]);

    return [
      `Memory of web under ${formatNumber(requests)} requests for all pages, a search, an unknown path and the ` +
        `sitemap over ${CONNECTIONS} connections, and ${formatNumber(contacts)} contact requests one after another:`,
      formatTable(['when', 'memory MiB'], rows),
    ];
  } finally {
    await server.stop();
  }
}

/** Builds the images and measures them where there is Docker or its stand-in. */
async function measureImages(onCleanup: OnCleanup): Promise<string[]> {
  const found = await findDocker({ ...process.env, DOCKER_BUILDKIT: '1' }).catch(() => undefined);
  if (!found) return ['Without Docker image sizes are not measured.'];
  const place = { env: found.env, cwd: projectRoot };
  const docker = (...args: string[]) => runCommand(['docker', ...args], place);
  const rows: Cell[][] = [];
  for (const target of IMAGES) {
    const image = `website-bench-${target}:${randomUUID()}`;
    onCleanup(() => tryCommand(['docker', 'image', 'rm', image], place));
    await docker('build', '--target', target, '--tag', image, '.');
    rows.push([target, (await measureImage(docker, image)) / 1e6]);
  }

  return [
    `Images built by ${found.name}: what the build adds, and 75 MB for Debian slim.`,
    formatTable(['image', 'MB'], rows),
  ];
}

/** Time to the first response, memory and image sizes. */
export const benchmark: Benchmark = {
  prerequisites: ['wrk', 'redis-server'],
  packages: ['fastify'],
  measure: async ({ isQuick, onCleanup }) => {
    const { starts, ...minutes } = isQuick ? SIZES.quick : SIZES.full;
    const images = isQuick ? [] : await measureImages(onCleanup);
    moveToLoadCore();
    const { settings } = await startStores(onCleanup);

    return [
      `From the spawn to the first 200 of \`/\`, polled every 5 ms; the median of ${starts} starts. PostgreSQL ` +
        'and Redis are up. Both have the image’s environment; a compile cache is that of one start.',
      await compareStarts(settings, starts, onCleanup),
      ...(await measureMemory(settings, minutes)),
      ...images,
    ];
  },
};
