import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { apiPaths, pathTo, routePatterns } from '../shared/paths.ts';
import { articles } from '../tests/support/site-content.ts';
import type { RecordedResponse } from './baselines/plain-fastify.ts';
import { runInterleaved, sendLoad, type Load, type Results } from './harness/load.ts';
import { startPinnedServer, type BenchmarkContext, type PinnedServer } from './harness/pinned-server.ts';
import { formatTable } from './harness/report.ts';
import { imageEnvironment, productionSettings, PUBLIC_HOST } from './harness/stores.ts';

/** Duration of each run in seconds. */
const SECONDS = { warmUp: 3, full: 3, quick: 1 } as const;

/** Headers that depend on the connection or the time. Each server sets them itself. */
const CONNECTION_HEADERS = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);

const brotli = { 'accept-encoding': 'gzip, deflate, br, zstd' };

/** One kind of response that the site sends. */
interface ResponseKind {
  readonly name: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections?: number;
}

/** Requests a URL once and records the response without decoding it. */
async function recordResponse(url: string, headers: ResponseKind['headers']): Promise<RecordedResponse> {
  const sent = request(url, { headers: { ...headers } });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const body = await buffer(response);
  const kept = Object.entries(response.headers).flatMap(([name, value]) =>
    typeof value === 'string' && !CONNECTION_HEADERS.has(name) ? [[name, value] as const] : [],
  );

  return { status: response.statusCode ?? 0, headers: Object.fromEntries(kept), body: body.toString('base64') };
}

async function listKinds({ origin }: PinnedServer): Promise<ResponseKind[]> {
  const { etag = '' } = (await recordResponse(origin, { Host: PUBLIC_HOST, ...brotli })).headers;
  const document = await fetch(origin).then((response) => response.text());
  const [script = ''] = /\/assets\/[^"\s]+\.js/.exec(document) ?? [];
  const [picture = ''] = /\/assets\/[^"\s]+\.avif/.exec(document) ?? [];

  return [
    { name: 'cached, brotli', path: '/', headers: brotli },
    { name: 'cached, identity', path: '/', headers: {} },
    { name: 'cached, 304', path: '/', headers: { ...brotli, 'if-none-match': etag } },
    { name: 'cached article, brotli', path: pathTo.article(articles[0]?.slug ?? ''), headers: brotli },
    { name: 'cached listing, brotli', path: routePatterns.insights, headers: brotli },
    { name: 'not found, brotli', path: '/no-such-page', headers: brotli },
    // A search, which isn't cached. With more connections the site would reject some requests (503).
    { name: 'uncached', path: `${routePatterns.insights}?q=ai`, headers: brotli, connections: 2 },
    { name: 'script, brotli', path: script, headers: brotli },
    { name: 'picture', path: picture, headers: brotli },
  ];
}

/** A server under load. */
interface Target {
  readonly server: PinnedServer;
  readonly load: Load;
}

/** Records a response and starts a baseline server that sends it. Returns both targets. */
async function startBaseline(
  context: BenchmarkContext,
  site: PinnedServer,
  { path, headers: own, connections = 32 }: ResponseKind,
): Promise<{ readonly bytes: number; readonly targets: readonly [site: Target, plain: Target] }> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-response-'));
  context.onCleanup(() => rm(folder, { recursive: true }));
  const file = join(folder, 'response.json');
  // If the name were capitalized differently, wrk would add a second Host header.
  const headers = { Host: PUBLIC_HOST, ...own };
  const response = await recordResponse(site.origin + path, headers);
  await writeFile(file, JSON.stringify(response));
  const settings = { ...imageEnvironment, RESPONSE: file };
  const plain = await startPinnedServer(context, ['bench/baselines/plain-fastify.ts'], settings, apiPaths.live);
  const load = { headers, connections, isRefused: response.status >= 400 };

  return {
    bytes: Buffer.from(response.body, 'base64').length,
    targets: [
      { server: site, load: { ...load, url: site.origin + path } },
      { server: plain, load: { ...load, url: `${plain.origin}/` } },
    ],
  };
}

/** Warms up the server, runs the load and reads the CPU time used. */
async function measure({ server, load }: Target, seconds: number): Promise<Results> {
  await sendLoad({ ...load, connections: Math.min(load.connections ?? 8, 8) }, SECONDS.warmUp);
  const before = await server.readCpuMs();
  const { requests, ms, p50, p99 } = await sendLoad(load, seconds);
  const cpuMs = ((await server.readCpuMs()) - before) / requests;

  return { perSecond: requests / (ms / 1000), cpuMs, p50, p99 };
}

/** Compares pages and assets with a plain Fastify server that sends the same bytes. @returns blocks of Markdown */
export async function measurePages(context: BenchmarkContext): Promise<readonly string[]> {
  const seconds = context.isQuick ? SECONDS.quick : SECONDS.full;
  const site = await startPinnedServer(context, ['server/main.ts'], productionSettings, apiPaths.live);
  const kinds = await listKinds(site);
  const comparisons = [];
  for (const kind of kinds) comparisons.push({ ...kind, ...(await startBaseline(context, site, kind)) });
  const targets = comparisons.flatMap((comparison) => comparison.targets);
  const results = await runInterleaved(targets, (target) => measure(target, seconds), context.isQuick ? 1 : 3);
  const rows = comparisons.map(({ name, bytes }, index) => {
    const [own, plain] = results.slice(2 * index);
    if (!own || !plain) throw new Error(`${name} was not measured.`);

    return [
      ...[name, bytes / 1000, own.perSecond, plain.perSecond, own.perSecond / plain.perSecond],
      ...[own.cpuMs, plain.cpuMs, own.cpuMs / plain.cpuMs, own.p50, own.p99],
    ];
  });

  return [
    `32 connections (uncached: 2), ${seconds} s each after a warm-up, compared with a plain Fastify server that ` +
      'sends the same bytes and headers and logs each request.',
    formatTable(
      ['response', 'kB', 'requests/s', 'plain', 'ratio', 'CPU ms', 'plain', 'ratio', 'p50 ms', 'p99 ms'],
      rows,
    ),
  ];
}
