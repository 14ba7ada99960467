import { MAX_FEED_ENTRIES } from '../server/seo/feed.ts';
import { apiPaths, discoveryPaths, insightsQuery, pathTo, routePatterns } from '../shared/paths.ts';
import { compareInTurns, type Figures } from './compare.ts';
import { fetchFirstView, fetchText } from './first-view.ts';
import type { SiteCopy } from './growth-site.ts';
import { writeGrowthTable, type GrowthRow } from './growth-table.ts';
import { measureLoad } from './measure-load.ts';
import { startPinnedServer, type Environment, type PinnedServer } from './pinned-process.ts';
import type { AtEnd } from './run-part.ts';

const SECONDS = 3;
const CONNECTIONS = 8;

const searchFor = (words: string) => `${routePatterns.insights}?${insightsQuery.search}=${words}`;

/** What is asked for again and again. */
const loads = {
  'kept page, not compressed: CPU ms a request': routePatterns.home,
  'search without a result: CPU ms a request': searchFor('zzzz'),
  'search that finds all: CPU ms a request': searchFor('a'),
  'sitemap: CPU ms a request': discoveryPaths.sitemap,
  'feed: CPU ms a request': discoveryPaths.feed,
  'llms.txt: CPU ms a request': discoveryPaths.llmsText,
} as const;

/** Texts that list what there is, and the kilobytes they take on the way. */
const lists = {
  'cards by a script’s call, kB (not compressed)': apiPaths.insightsArticles,
  'sitemap, kB': discoveryPaths.sitemap,
  'feed, kB': discoveryPaths.feed,
  'llms.txt, kB': discoveryPaths.llmsText,
} as const;

/** What a figure may grow with; the others must stay as they are. */
const growsWith: Readonly<Record<string, 'pages' | 'articles' | 'feed'>> = {
  'build, s': 'pages',
  'dist, MiB': 'pages',
  'start to the first page, ms': 'pages',
  'memory after the start, MiB': 'pages',
  'memory of all kept pages, MiB': 'pages',
  'listing: document, kB': 'articles',
  'article: scripts, kB': 'articles',
  'search without a result: CPU ms a request': 'articles',
  'search that finds all: CPU ms a request': 'articles',
  'cards by a script’s call, kB (not compressed)': 'articles',
  'sitemap, kB': 'pages',
  'feed, kB': 'feed',
  'llms.txt, kB': 'pages',
  'llms.txt: CPU ms a request': 'pages',
};

async function listPagePaths(origin: string): Promise<string[]> {
  const { text } = await fetchText(origin + discoveryPaths.sitemap);

  return [...text.matchAll(/<loc>([^<]+)</g)].map(([, url = '']) => new URL(url).pathname);
}

/** Starts the copy as often as is compared, so that no start is the first after a build. */
async function measureStarts(sites: readonly SiteCopy[], settings: Environment) {
  return compareInTurns(sites, async ({ entry }) => {
    const server = await startPinnedServer([entry], settings);
    await server.stop();

    return { startMs: server.startMs };
  });
}

async function measureViews(origin: string, articlePath: string): Promise<Figures> {
  const home = await fetchFirstView(origin, routePatterns.home);
  const listing = await fetchFirstView(origin, routePatterns.insights);
  const article = await fetchFirstView(origin, articlePath);

  return {
    'home: document, kB': home.html,
    'home: scripts, kB': home.scripts,
    'listing: document, kB': listing.html,
    'listing: scripts, kB': listing.scripts,
    'article: document, kB': article.html,
    'article: scripts, kB': article.scripts,
  };
}

/** What one answer each tells: memory of all pages together, and bytes. */
async function measureOnce(server: PinnedServer, articlePath: string): Promise<Figures> {
  const { origin } = server;
  const memoryAtStart = await server.readMemoryMib();
  const paths = await listPagePaths(origin);
  // A page is made when it is asked for the first time, and in brotli, as browsers ask for it.
  for (const path of paths) await fetchText(origin + path);
  const memory = await server.readMemoryMib();
  const sizes: Array<[string, number]> = [];
  for (const [name, path] of Object.entries(lists)) {
    sizes.push([name, (await fetchText(origin + path)).kilobytes]);
  }

  return {
    pages: paths.length,
    'memory after the start, MiB': memoryAtStart,
    'memory of all kept pages, MiB': memory - memoryAtStart,
    ...(await measureViews(origin, articlePath)),
    ...Object.fromEntries(sizes),
  };
}

async function measureLoads(servers: readonly PinnedServer[]): Promise<Figures[]> {
  const all: Figures[] = servers.map(() => ({}));
  for (const [name, path] of Object.entries(loads)) {
    const figures = await compareInTurns(servers, (server) =>
      measureLoad(server, {
        url: server.origin + path,
        seconds: SECONDS,
        connections: CONNECTIONS,
      }),
    );
    for (const [index, { cpuMs, p50 }] of figures.entries()) {
      const isKept = path === routePatterns.home;
      const wait = isKept ? { [`kept page, not compressed: p50 ms, ${CONNECTIONS} at once`]: p50 } : {};
      all[index] = { ...all[index], [name]: cpuMs, ...wait };
    }
  }

  return all;
}

/**
 * Measures two copies of the site that differ in the number of articles.
 * @param settings of the web process
 * @param articleSlug of an article both have
 * @returns a table in Markdown
 */
export async function measurePageGrowth(
  sites: readonly [SiteCopy, SiteCopy],
  settings: Environment,
  articleSlug: string,
  atEnd: AtEnd,
): Promise<string> {
  const starts = await measureStarts(sites, settings);
  const servers: PinnedServer[] = [];
  const all: Figures[] = [];
  for (const [index, site] of sites.entries()) {
    const server = await startPinnedServer([site.entry], settings);
    atEnd(server.stop);
    servers.push(server);
    all.push({
      'build, s': site.buildSeconds,
      'dist, MiB': site.distMib,
      'start to the first page, ms': starts[index]?.startMs ?? Number.NaN,
      ...(await measureOnce(server, pathTo.article(articleSlug))),
    });
  }
  const loaded = await measureLoads(servers);
  const [small = {}, big = {}] = all.map((figures, index) => ({ ...figures, ...loaded[index] }));
  const grown = {
    pages: (big['pages'] ?? 0) / (small['pages'] ?? 0),
    articles: sites[1].articles / sites[0].articles,
    feed: Math.min(sites[1].articles, MAX_FEED_ENTRIES) / sites[0].articles,
  };
  const rows = Object.entries(small).map(([what, value]): GrowthRow => {
    const data = growsWith[what];
    const dataGrowsBy = what === 'pages' ? grown.pages : data ? grown[data] : 1;

    return { what, small: value, big: big[what] ?? Number.NaN, dataGrowsBy };
  });
  const [today, more] = sites.map(({ articles }) => `${articles} articles`);

  return writeGrowthTable([today ?? '', more ?? ''], rows);
}
