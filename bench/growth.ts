import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { articles } from '../tests/support/site-content.ts';
import { createHistory, type History } from './growth/history.ts';
import { measurePageGrowth } from './growth/pages.ts';
import { buildSite } from './growth/site-copy.ts';
import { measureSubmissionGrowth } from './growth/submissions.ts';
import { measureVisitorGrowth } from './growth/visitors.ts';
import type { Benchmark, BenchmarkContext } from './harness/benchmark.ts';
import { moveToLoadCore, startPinnedServer, type Environment } from './harness/pinned-process.ts';
import { productionSettings, startPostgres, startRedis } from './harness/stores.ts';

/** Ten times the pages, a thousand times the requests. */
const SIZES = {
  full: { articles: 250, few: 1_000, many: 1_000_000 },
  quick: { articles: 20, few: 1_000, many: 10_000 },
} as const;

/** PostgreSQL's defaults, except the log: nobody writes a million rows at once every day. */
const POSTGRES_SETTINGS = { max_wal_size: '8GB' };

/** Two builds of the site, of which the second has more articles. */
async function measureArticles(settings: Environment, more: number, context: BenchmarkContext): Promise<string> {
  // The first build fills the caches for the two that are measured.
  if (!context.isQuick) await buildSite(articles.length, context.onCleanup);
  const sites = [
    await buildSite(articles.length, context.onCleanup),
    await buildSite(more, context.onCleanup),
  ] as const;

  return measurePageGrowth(sites, settings, context);
}

async function measure(context: BenchmarkContext): Promise<readonly string[]> {
  const { isQuick, onCleanup } = context;
  const sizes = isQuick ? SIZES.quick : SIZES.full;
  moveToLoadCore();
  const folder = await mkdtemp(join(tmpdir(), 'bench-growth-'));
  onCleanup(() => rm(folder, { recursive: true, force: true }));
  const redis = await startRedis(onCleanup);
  const postgres = await startPostgres(onCleanup, POSTGRES_SETTINGS);
  const makeHistory = async (requests: number): Promise<History> => {
    const url = await createHistory(postgres, requests);
    const settings = {
      ...productionSettings,
      DATABASE_URL: url,
      REDIS_URL: redis.url,
      ERASURES_DIR: join(folder, String(requests), 'erasures'),
    };

    return { url, requests, settings };
  };
  const histories = [await makeHistory(sizes.few), await makeHistory(sizes.many)] as const;
  const [{ settings }] = histories;
  const pages = await measureArticles(settings, sizes.articles, context);
  const submissions = await measureSubmissionGrowth(histories, folder, context);
  const web = await startPinnedServer(['server/main.ts'], settings);
  onCleanup(web.stop);
  const visitors = await measureVisitorGrowth(web, context);

  return ['### Pages', pages, '### Requests', ...submissions, '### Visitors', ...visitors];
}

/** What more articles, more requests and more visitors cost. */
export const benchmark: Benchmark = {
  prerequisites: ['wrk', 'redis-server'],
  packages: ['fastify', 'knex', 'vite'],
  measure,
};
