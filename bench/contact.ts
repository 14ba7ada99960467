import { join } from 'node:path';
import { projectRoot } from '../scripts/processes.ts';
import { createDatabase, batchTimeouts, type Database } from '../shared/node/database/database.ts';
import { apiPaths } from '../shared/paths.ts';
import type { RedisServer } from '../tests/support/redis-server.ts';
import { waitFor } from '../tests/support/wait-for.ts';
import { contactRungs, type ContactRung } from './baselines/contact-rungs.ts';
import { compareInTurns } from './compare.ts';
import { countQueries } from './count-queries.ts';
import { describeContact, type ContactFigures, type MeasuredRung } from './describe-contact.ts';
import { moveToLoadCore, startPinnedServer, type PinnedServer } from './pinned-process.ts';
import { productionSettings } from './production-settings.ts';
import type { PartReport } from './report.ts';
import { runPart } from './run-part.ts';
import { sendLoad } from './send-load.ts';
import { startStores } from './start-stores.ts';

const CONNECTIONS = 32;
const SECONDS = 5;
const WARM_UP_SECONDS = 2;

/** The outbox's rows of one request: three mails and an export. */
const DELIVERIES_EACH = 4;

/** More keys than the queues and the rate limit have beside the jobs. */
const OTHER_KEYS = 50;

/** A server to be measured: a rung of the baseline, or the product. */
interface Target {
  readonly rung: ContactRung | 'product';
  readonly args: readonly string[];
  readonly deliveriesEach: number;
  /** Jobs it queues for one request. */
  readonly jobsEach: number;
}

const isBefore = (rung: ContactRung, other: ContactRung) =>
  contactRungs.indexOf(rung) < contactRungs.indexOf(other);

const makeBaseline = (rung: ContactRung): Target => ({
  rung,
  args: [join(import.meta.dirname, 'baselines', 'contact.ts'), rung],
  deliveriesEach: isBefore(rung, 'outbox') ? 0 : DELIVERIES_EACH,
  jobsEach: isBefore(rung, 'job') ? 0 : isBefore(rung, 'jobs') ? 1 : DELIVERIES_EACH,
});
const product: Target = {
  rung: 'product',
  args: [join(projectRoot, 'server', 'main.ts')],
  deliveriesEach: DELIVERIES_EACH,
  jobsEach: DELIVERIES_EACH,
};
const limitWithoutRedis = makeBaseline('insert');
const rungs = [...contactRungs.filter((rung) => rung !== 'insert').map(makeBaseline), product];

/** Waits until the requests that wrk left without their answers are written. */
async function untilQuiet(database: Database): Promise<void> {
  await waitFor('the last request', async () => {
    const busy = await database('pg_stat_activity')
      .where({ application_name: 'web' })
      .whereRaw("(state <> 'idle' or state_change > now() - interval '200 milliseconds')")
      .first<object | undefined>('pid');

    return busy === undefined;
  });
}

/**
 * Each request that was answered is a row, and each row has its deliveries and jobs. When the time
 * is over wrk leaves at most one request on each connection without its answer, which may be stored
 * as well.
 * @throws when that isn't so
 */
async function checkBooks(
  { redis, database, hasRedis }: Books,
  answered: number,
  { deliveriesEach, jobsEach }: Target,
): Promise<void> {
  const { rows, deliveries } = await database.first<{ rows: number; deliveries: number }>(
    database.raw('(select count(*)::int from contact_submissions) as rows'),
    database.raw('(select count(*)::int from deliveries) as deliveries'),
  );
  const unanswered = rows - answered;
  if (unanswered < 0 || unanswered > 2 * CONNECTIONS || deliveries !== rows * deliveriesEach) {
    throw new Error(`${answered} answers, but ${rows} rows and ${deliveries} deliveries.`);
  }
  if (!hasRedis) return;
  // Jobs are queued after the answer. Beside a key for each there are the queues' own.
  await waitFor(`the jobs of ${rows} requests`, async () => {
    const more = Number(await redis.command('DBSIZE')) - rows * jobsEach;

    return more >= 0 && more < OTHER_KEYS;
  });
}

interface Books {
  readonly redis: RedisServer;
  /** Whether it is there. */
  hasRedis: boolean;
  readonly database: Database;
  /** Requests that were answered so far. */
  answered: number;
}

/** One measurement, from empty tables on. */
async function measure(
  books: Books,
  server: PinnedServer | undefined,
  target: Target,
): Promise<ContactFigures> {
  if (!server) throw new Error('The server was not started.');
  const { redis, database } = books;
  await database.raw('truncate contact_submissions cascade');
  if (books.hasRedis) await redis.command('FLUSHALL');
  const load = {
    url: server.origin + apiPaths.contactSubmissions,
    connections: CONNECTIONS,
    script: 'wrk-contact.lua',
    headers: { Host: new URL(productionSettings['PUBLIC_URL'] ?? '').host },
  };
  const warmUp = await sendLoad({ ...load, seconds: WARM_UP_SECONDS });
  const cpuBefore = await server.readCpuMs();
  const { requests, ms, p50, p99 } = await sendLoad({ ...load, seconds: SECONDS });
  await untilQuiet(database);
  // With what is done after the answer.
  const cpuMs = (await server.readCpuMs()) - cpuBefore;
  const answered = warmUp.requests + requests;
  await checkBooks(books, answered, target);
  books.answered += answered;

  return {
    rate: requests / (ms / 1_000),
    p50,
    p99,
    cpuMs: cpuMs / requests,
    mib: await server.readMemoryMib(),
  };
}

await runPart(['wrk', 'redis-server'], async (atEnd): Promise<PartReport> => {
  moveToLoadCore();
  const { databaseUrl, redis, settings: stores } = await startStores(atEnd);
  const settings = { ...stores, TRUST_PROXY: '127.0.0.1' };
  const database = createDatabase(databaseUrl, 'bench', batchTimeouts);
  atEnd(() => database.destroy());
  const books: Books = { redis, hasRedis: true, database, answered: 0 };
  const servers = new Map<Target, PinnedServer>();
  for (const target of [limitWithoutRedis, ...rungs]) {
    const server = await startPinnedServer(target.args, settings);
    atEnd(server.stop);
    servers.set(target, server);
  }
  const compare = (targets: readonly Target[]) =>
    compareInTurns(targets, (target) => measure(books, servers.get(target), target));
  const ladder: MeasuredRung[] = [];
  for (const [index, figures] of (await compare(rungs)).entries()) {
    const { rung, args } = rungs[index] ?? product;
    ladder.push({ rung, figures, queries: await countQueries(args, settings) });
  }
  await redis.kill();
  books.hasRedis = false;
  const [limit, away] = await compare([limitWithoutRedis, product]);
  if (!limit || !away) throw new Error('Nothing was measured.');

  return {
    part: 'contact',
    packages: ['fastify', 'knex', 'pg', 'bullmq', 'ioredis'],
    blocks: describeContact(ladder, { limit, product: away }, books.answered),
  };
});
