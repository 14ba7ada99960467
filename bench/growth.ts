import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArticles } from '../shared/node/content/articles.ts';
import { createHistory, type History } from './growth-history.ts';
import { measurePageGrowth } from './growth-pages.ts';
import { buildSiteCopy } from './growth-site.ts';
import { measureSubmissionGrowth, type MakeSettings } from './growth-submissions.ts';
import { measureVisitorGrowth } from './growth-visitors.ts';
import { moveToLoadCore, startPinnedServer } from './pinned-process.ts';
import { productionSettings } from './production-settings.ts';
import { runPart, type AtEnd } from './run-part.ts';
import { startPostgres, startRedis } from './start-stores.ts';

/** Ten times the pages there are, nearly all of them articles. */
const ARTICLES = 250;
const REQUESTS = { few: 1_000, many: 1_000_000 } as const;

/** PostgreSQL as it comes, but for the log of changes: a million rows are not written every day. */
const POSTGRES_SETTINGS = { max_wal_size: '8GB' };

async function makeHistories(atEnd: AtEnd): Promise<[History, History]> {
  const postgres = await startPostgres(atEnd, POSTGRES_SETTINGS);
  const few = await createHistory(postgres, 'few', REQUESTS.few);
  atEnd(() => few.database.destroy());
  const many = await createHistory(postgres, 'many', REQUESTS.many);
  atEnd(() => many.database.destroy());

  return [few, many];
}

async function measureSites(makeSettings: MakeSettings, history: History, atEnd: AtEnd) {
  const articles = await readArticles();
  const [first] = articles;
  if (!first) throw new Error('The site has no article.');
  // The first build fills the caches for both that are measured.
  await buildSiteCopy(articles.length, atEnd);
  const sites = [
    await buildSiteCopy(articles.length, atEnd),
    await buildSiteCopy(ARTICLES, atEnd),
  ] as const;

  return measurePageGrowth(sites, makeSettings(history), first.slug, atEnd);
}

await runPart(['wrk', 'redis-server'], async (atEnd) => {
  moveToLoadCore();
  const folder = await mkdtemp(join(tmpdir(), 'bench-growth-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  const redis = await startRedis(atEnd);
  const histories = await makeHistories(atEnd);
  const makeSettings: MakeSettings = ({ url }) => ({
    ...productionSettings,
    DATABASE_URL: url,
    REDIS_URL: redis.url,
    RATE_LIMIT_CONTACT: '999999/10m',
    ERASURES_DIR: join(folder, new URL(url).pathname, 'erasures'),
  });
  const [few] = histories;

  const pages = await measureSites(makeSettings, few, atEnd);
  const submissions = await measureSubmissionGrowth(histories, makeSettings, folder);
  const web = await startPinnedServer(['server/main.ts'], makeSettings(few));
  atEnd(web.stop);
  const visitors = await measureVisitorGrowth(web);

  return {
    part: 'growth',
    packages: ['fastify', 'knex', 'vite'],
    blocks: [
      `### Pages\n\n${pages}`,
      `### Requests\n\n${submissions.join('\n\n')}`,
      `### Visitors\n\n${visitors.join('\n\n')}`,
    ],
  };
});
