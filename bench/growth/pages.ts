import { siteFilePaths, insightsQuery, pathTo, routePatterns } from '../../shared/paths.ts';
import { articles } from '../../tests/support/site-content.ts';
import type { BenchmarkContext } from '../harness/benchmark.ts';
import { runInterleaved, type Results } from '../harness/compare.ts';
import { measureLoad } from '../harness/load.ts';
import { startPinnedServer, type Environment, type PinnedServer } from '../harness/pinned-process.ts';
import { formatGrowthTable, type GrowthRow } from '../harness/report.ts';
import type { SiteCopy } from './site-copy.ts';

/** Few, so that the site doesn't refuse searches, which aren't cached. */
const CONNECTIONS = 2;

const searchFor = (words: string) => `${routePatterns.insights}?${insightsQuery.search}=${words}`;

/** What is under load. */
const loads = {
  'cached page, identity: CPU ms a request': routePatterns.home,
  'search without a result: CPU ms a request': searchFor('zzzz'),
  'search that finds all: CPU ms a request': searchFor('a'),
  'sitemap: CPU ms a request': siteFilePaths.sitemap,
  'feed: CPU ms a request': siteFilePaths.feed,
  'llms.txt: CPU ms a request': siteFilePaths.llmsText,
} as const;

/** Lists of all there is, in brotli unless they are not compressed. */
const lists = {
  'sitemap, kB': siteFilePaths.sitemap,
  'feed (the newest 50), kB': siteFilePaths.feed,
  'llms.txt, kB': siteFilePaths.llmsText,
} as const;

/** Pages whose first view is measured. */
const views = {
  home: routePatterns.home,
  listing: routePatterns.insights,
  article: pathTo.article(articles[0]?.slug ?? ''),
} as const;

/** What a result may grow with; the others must stay as they are. */
const growsWith: Readonly<Record<string, 'pages' | 'articles'>> = {
  'build, s': 'pages',
  'dist, MiB': 'pages',
  'start to the first page, ms': 'pages',
  pages: 'pages',
  'memory after the start, MiB': 'pages',
  'memory of all cached pages, MiB': 'pages',
  'listing: document, kB': 'articles',
  'search without a result: CPU ms a request': 'articles',
  'search that finds all: CPU ms a request': 'articles',
  'sitemap, kB': 'pages',
  'feed (the newest 50), kB': 'articles',
  'llms.txt, kB': 'pages',
  'llms.txt: CPU ms a request': 'pages',
};

/** @returns a text and the kilobytes it took on the wire @throws unless it is a 200 with a length */
async function fetchText(url: string): Promise<{ text: string; kilobytes: number }> {
  const response = await fetch(url, { headers: { 'accept-encoding': 'br' } });
  const length = response.headers.get('content-length');
  if (!response.ok || length === null) throw new Error(`${url} has ${response.status}, length ${length}.`);

  return { text: await response.text(), kilobytes: Number(length) / 1000 };
}

/** Kilobytes of a page's document and of the scripts that hydrate it: the first, and those its data name. */
async function fetchFirstView(origin: string, path: string): Promise<{ document: number; scripts: number }> {
  const { text, kilobytes } = await fetchText(origin + path);
  const [, first] = /<script[^>]* src="([^"]+)"/.exec(text) ?? [];
  const [, data = '{}'] = /<script[^>]* id="page-data"[^>]*>([^<]*)/.exec(text) ?? [];
  const { scripts = [] } = JSON.parse(data) as { scripts?: string[] };
  if (first === undefined || scripts.length === 0) throw new Error(`${path} has no scripts.`);
  let sum = 0;
  for (const script of [first, ...scripts]) sum += (await fetchText(origin + script)).kilobytes;

  return { document: kilobytes, scripts: sum };
}

/** Memory of all cached pages together, and sizes. */
async function measureSizes({ origin, readMemoryMib }: PinnedServer): Promise<Results> {
  const results: Record<string, number> = { 'memory after the start, MiB': await readMemoryMib() };
  const { text } = await fetchText(origin + siteFilePaths.sitemap);
  const paths = [...text.matchAll(/<loc>([^<]+)</g)].map(([, url = '']) => new URL(url).pathname);
  results['pages'] = paths.length;
  // A page is cached when it is first requested.
  for (const path of paths) await fetchText(origin + path);
  results['memory of all cached pages, MiB'] =
    (await readMemoryMib()) - (results['memory after the start, MiB'] ?? NaN);
  for (const [name, path] of Object.entries(views)) {
    const { document, scripts } = await fetchFirstView(origin, path);
    results[`${name}: document, kB`] = document;
    results[`${name}: scripts, kB`] = scripts;
  }
  for (const [name, path] of Object.entries(lists)) {
    results[name] = (await fetchText(origin + path)).kilobytes;
  }

  return results;
}

/** Starts each copy as often as there are runs, so that none is measured just after its build. */
const measureStarts = (sites: readonly SiteCopy[], settings: Environment, runs: number) =>
  runInterleaved(
    sites,
    async ({ entry }) => {
      const { stop, startMs } = await startPinnedServer([entry], settings);
      await stop();

      return { startMs };
    },
    runs,
  );

/** Processor time of each load, and the latency of the cached page. */
async function measureLoads(
  servers: readonly PinnedServer[],
  { isQuick, runs }: BenchmarkContext,
): Promise<Results[]> {
  const all: Results[] = servers.map(() => ({}));
  for (const [name, path] of Object.entries(loads)) {
    const errors = path.includes('?') ? ('some' as const) : undefined;
    const load = { seconds: isQuick ? 1 : 3, connections: CONNECTIONS, errors };
    const results = await runInterleaved(
      servers,
      (server) => measureLoad(server, { ...load, url: server.origin + path }),
      runs,
    );
    for (const [index, { cpuMs, p50 }] of results.entries()) {
      const latency = path === routePatterns.home ? { 'cached page, identity: p50 ms': p50 } : {};
      all[index] = { ...all[index], [name]: cpuMs, ...latency };
    }
  }

  return all;
}

/**
 * Compares two builds of the site that differ in the number of articles.
 * @param settings of web
 * @returns a table in Markdown
 */
export async function measurePageGrowth(
  sites: readonly [SiteCopy, SiteCopy],
  settings: Environment,
  context: BenchmarkContext,
): Promise<string> {
  const starts = await measureStarts(sites, settings, context.runs);
  const servers: PinnedServer[] = [];
  const sizes: Results[] = [];
  for (const [index, site] of sites.entries()) {
    const server = await startPinnedServer([site.entry], settings);
    context.onCleanup(server.stop);
    servers.push(server);
    sizes.push({
      'build, s': site.buildSeconds,
      'dist, MiB': site.distMib,
      'start to the first page, ms': starts[index]?.startMs ?? Number.NaN,
      ...(await measureSizes(server)),
    });
  }
  const loaded = await measureLoads(servers, context);
  const [small = {}, large = {}] = sizes.map((results, index) => ({ ...results, ...loaded[index] }));
  const ratios = {
    pages: (large['pages'] ?? NaN) / (small['pages'] ?? NaN),
    articles: sites[1].articles / sites[0].articles,
  };
  const rows = Object.entries(small).map(([what, value]): GrowthRow => {
    const data = growsWith[what];

    return { what, small: value, large: large[what] ?? Number.NaN, dataRatio: data ? ratios[data] : 1 };
  });

  return formatGrowthTable([`${sites[0].articles} articles`, `${sites[1].articles} articles`], rows);
}
