import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assetsPrefix, apiPaths, pathTo, routePatterns } from '../shared/paths.ts';
import { articles } from '../tests/support/site-content.ts';
import { recordResponse, type RecordedResponse } from './baselines/recorded-response.ts';
import type { Benchmark } from './harness/benchmark.ts';
import { runInterleaved } from './harness/compare.ts';
import { measureLoad, type Load, type LoadResults } from './harness/load.ts';
import { startPinnedServer, type PinnedServer } from './harness/pinned-process.ts';
import { formatNumber, formatTable, type Cell } from './harness/report.ts';
import { imageEnvironment, productionSettings, PUBLIC_HOST } from './harness/stores.ts';

const CONNECTIONS = 32;
/** More would make the event loop late enough for the site to refuse uncached pages (503). */
const UNCACHED_CONNECTIONS = 2;
const SECONDS = { full: 3, quick: 1 } as const;

const PLAIN = ['bench/baselines/plain-fastify.ts'];
const RENDERING = ['bench/baselines/rendering-fastify.ts'];

/** A search, which no cache holds. */
const UNCACHED = `${routePatterns.insights}?q=ai`;
const UNKNOWN = '/no-such-page';

/** One kind of response of the site. */
interface ResponseKind {
  readonly name: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** 200 by default. */
  readonly status?: number;
  /** Content-Encoding; identity by default. */
  readonly encoding?: string;
}

/** A server under load. */
interface Target {
  readonly server: PinnedServer;
  readonly load: Omit<Load, 'seconds'>;
}

/** A row of the report: the site, and what it is compared with. */
interface Comparison {
  readonly name: string;
  readonly bytes: number;
  /** Holds the recorded response. */
  readonly file: string;
  readonly site: Target;
  readonly plain: Target;
  /** The same for all encodings of a page; assets have none. */
  readonly renderer: Target | undefined;
}

/** Starts a server until the cleanup. */
type Start = typeof startPinnedServer;

const brotli = { headers: { 'accept-encoding': 'gzip, deflate, br, zstd' }, encoding: 'br' };

const countConnections = (path: string) => (path === UNCACHED ? UNCACHED_CONNECTIONS : CONNECTIONS);

/** The first URL in a document that matches. @throws when there is none */
function findAsset(document: string, pattern: RegExp): string {
  const [, url] = pattern.exec(document) ?? [];
  if (url === undefined) throw new Error(`The document has nothing like ${String(pattern)}.`);

  return url;
}

async function listKinds({ origin }: PinnedServer): Promise<ResponseKind[]> {
  const { etag = '' } = (await recordResponse(origin, brotli.headers)).headers;
  const document = await fetch(origin).then((response) => response.text());
  const script = findAsset(document, /scripts":\["([^"]+)"/);
  const picture = findAsset(document, /(\/assets\/[^\s"]+\.avif)/);

  return [
    { name: 'cached, brotli', path: '/', ...brotli },
    { name: 'cached, gzip', path: '/', headers: { 'accept-encoding': 'gzip' }, encoding: 'gzip' },
    { name: 'cached, identity', path: '/' },
    { name: 'cached, 304', path: '/', headers: { ...brotli.headers, 'if-none-match': etag }, status: 304 },
    { name: 'cached article, brotli', path: pathTo.article(articles[0]?.slug ?? ''), ...brotli },
    { name: 'cached listing, brotli', path: routePatterns.insights, ...brotli },
    { name: 'not found, brotli', path: UNKNOWN, ...brotli, status: 404 },
    { name: 'uncached', path: UNCACHED, headers: brotli.headers },
    { name: 'script, brotli', path: script, ...brotli },
    { name: 'picture', path: picture, headers: brotli.headers },
  ];
}

/** @throws unless the response is of its kind */
function checkResponse({ name, status = 200, encoding }: ResponseKind, response: RecordedResponse): void {
  if (response.status === status && response.headers['content-encoding'] === encoding) return;
  throw new Error(`${name} has ${JSON.stringify([response.status, response.headers])}.`);
}

/** Starts what renders a page. @throws unless its document is the site's */
async function startRenderer(site: PinnedServer, path: string, start: Start): Promise<Target> {
  const server = await start(RENDERING, {
    ...imageEnvironment,
    ...(path === UNKNOWN ? { LOCATION: '/not-found', IS_NOT_FOUND: 'yes' } : { LOCATION: path }),
  });
  const [own, other] = await Promise.all(
    [site.origin + path, server.origin].map((url) => fetch(url).then((response) => response.text())),
  );
  if (own !== other) throw new Error(`The baseline renders another document for ${path}.`);

  return { server, load: { url: `${server.origin}/`, connections: countConnections(path) } };
}

/** Starts the baselines of each kind of response. */
async function startBaselines(site: PinnedServer, folder: string, start: Start): Promise<Comparison[]> {
  const renderers = new Map<string, Target>();
  const comparisons: Comparison[] = [];
  for (const [index, kind] of (await listKinds(site)).entries()) {
    const { name, path } = kind;
    // wrk would add a second Host to one that is spelled otherwise.
    const headers = { Host: PUBLIC_HOST, ...kind.headers };
    const response = await recordResponse(site.origin + path, headers);
    checkResponse(kind, response);
    const file = join(folder, `${index}.json`);
    await writeFile(file, JSON.stringify(response));
    const plain = await start(PLAIN, { ...imageEnvironment, RESPONSE: file }, apiPaths.live);
    if (!renderers.has(path) && !path.startsWith(assetsPrefix)) {
      renderers.set(path, await startRenderer(site, path, start));
    }
    // A machine with other work to do makes the loop late, too.
    const errors = path === UNCACHED ? 'some' : response.status >= 400 ? 'all' : undefined;
    const load: Omit<Load, 'url' | 'seconds'> = { headers, errors, connections: countConnections(path) };
    comparisons.push({
      name,
      bytes: Buffer.from(response.body, 'base64').length,
      file,
      site: { server: site, load: { ...load, url: site.origin + path } },
      plain: { server: plain, load: { ...load, url: `${plain.origin}/` } },
      renderer: renderers.get(path),
    });
  }

  return comparisons;
}

const HEAD = [
  ...['response', 'kB', 'requests/s', 'plain Fastify requests/s', 'ratio'],
  ...['CPU ms', 'plain Fastify CPU ms', 'ratio', 'renderToString CPU ms', 'ratio'],
  ...['p50 ms', 'p99 ms'],
];

function makeRow(
  { name, bytes }: Comparison,
  site: LoadResults,
  plain: LoadResults,
  renderer?: LoadResults,
): Cell[] {
  return [
    ...[name, bytes / 1000],
    ...[site.perSecond, plain.perSecond, site.perSecond / plain.perSecond],
    ...[site.cpuMs, plain.cpuMs, site.cpuMs / plain.cpuMs],
    ...[renderer?.cpuMs ?? '–', renderer ? site.cpuMs / renderer.cpuMs : '–'],
    ...[site.p50, site.p99],
  ];
}

/** Memory of the servers after the load. */
async function describeMemory({ site, plain, renderer }: Comparison): Promise<string> {
  const servers = [site.server, plain.server, renderer?.server];
  const memory = await Promise.all(servers.map(async (server) => (await server?.readMemoryMib()) ?? NaN));
  const [own, least, rendering] = memory.map(formatNumber);

  return (
    `After the load the site has ${own} MiB, a plain Fastify with one response ${least} MiB, and one that ` +
    `renders one page ${rendering} MiB.`
  );
}

/** Measures all rows, and a plain Fastify with the site's headers and log beside the first. */
async function compareAll(
  comparisons: readonly Comparison[],
  dressed: Target,
  measure: (target: Target) => Promise<LoadResults>,
  runs: number,
) {
  const targets = [
    dressed,
    ...new Set(comparisons.flatMap((row) => [row.site, row.plain, row.renderer ?? row.plain])),
  ];
  const medians = await runInterleaved(targets, measure, runs);
  const read = (target: Target): LoadResults => {
    const results = medians[targets.indexOf(target)];
    if (!results) throw new Error('A target was not measured.');

    return results;
  };
  const rows = comparisons.map((row) =>
    makeRow(row, read(row.site), read(row.plain), row.renderer && read(row.renderer)),
  );
  const [first] = comparisons;
  const refused = comparisons
    .filter(({ site }) => site.load.errors === 'some' && read(site).errorPercent > 0)
    .map(({ name, site }) => `Not valid: ${formatNumber(read(site).errorPercent)} % of “${name}” were refused.`);
  const { perSecond, cpuMs } = read(dressed);
  const ratio = first ? read(first.site).perSecond / perSecond : Number.NaN;

  return {
    rows,
    refused,
    dressed:
      'A plain Fastify that also sends the site’s headers and logs each request serves ' +
      `${formatNumber(perSecond)} of the first responses a second, ${formatNumber(cpuMs)} ms each: the ` +
      `site has ${formatNumber(ratio)} of its rate.`,
  };
}

/** Pages and assets, beside a plain Fastify with the same bytes and one that renders each page. */
export const benchmark: Benchmark = {
  prerequisites: ['wrk'],
  packages: ['fastify', 'react', 'vite-plugin-ssr'],
  measure: async ({ isQuick, runs, onCleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'bench-responses-'));
    onCleanup(() => rm(folder, { recursive: true }));
    const start: Start = async (...args) => {
      const server = await startPinnedServer(...args);
      onCleanup(server.stop);

      return server;
    };
    const seconds = isQuick ? SECONDS.quick : SECONDS.full;
    const site = await start(['server/main.ts'], productionSettings, apiPaths.live);
    const comparisons = await startBaselines(site, folder, start);
    const [first] = comparisons;
    if (!first) throw new Error('There is nothing to compare.');
    const settings = { ...imageEnvironment, RESPONSE: first.file, IS_DRESSED: 'yes' };
    const server = await start(PLAIN, settings, apiPaths.live);
    const dressed = { server, load: { ...first.plain.load, url: `${server.origin}/` } };
    const measure = (target: Target) =>
      measureLoad(target.server, { ...target.load, seconds });
    const results = await compareAll(comparisons, dressed, measure, runs);

    return [
      `${CONNECTIONS} connections (uncached: ${UNCACHED_CONNECTIONS}), ${seconds} s each after a warm-up. All ` +
        'servers have the image’s environment.',
      formatTable(HEAD, results.rows),
      ...results.refused,
      results.dressed,
      await describeMemory(first),
    ];
  },
};
