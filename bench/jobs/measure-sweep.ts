import type { ClaimLimiter } from '../../jobs/deliveries/claim-limiter.ts';
import { makeSweep } from '../../jobs/deliveries/sweep-deliveries.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { findMedian, type Figures } from '../compare.ts';
import { explainWork, type Explanation } from '../explain-query.ts';
import { addDueDeliveries, addOldDeliveries, addPendingDeliveries } from './fill-database.ts';
import { listRegularQueries, type RegularQuery, type Subjects } from './regular-queries.ts';
import type { Site } from './servers.ts';

/** What one sweep costs. */
export interface SweepCost extends Figures {
  readonly ms: number;
  /** Processor time of the process that sweeps, in milliseconds; PostgreSQL's and Redis's is not in it. */
  readonly cpuMs: number;
  /** Statements to PostgreSQL, those that begin and end transactions included. */
  readonly statements: number;
}

/** A regular query with what PostgreSQL did for it. */
export interface ExplainedQuery extends RegularQuery {
  readonly plan: Explanation;
}

/** Sweeps that are not measured. */
const WARM_UPS = 10;

const unlimited: ClaimLimiter = (claim) => claim();

const handlerOfNone = () => Promise.reject(new Error('Nothing is due here.'));

function makeBareSweep({ database, scheduler }: Site): () => Promise<void> {
  const sweep = makeSweep({
    database,
    scheduler,
    timings: productionTimings,
    limiters: { 'follow-up': unlimited, newsletter: unlimited, 'crm-export': unlimited },
    logger: createLogger({ level: 'error', process: 'bench', fd: 2 }),
    handlers: {
      'follow-up': handlerOfNone,
      'crm-export': handlerOfNone,
      newsletter: handlerOfNone,
    },
  });

  return () => sweep(new AbortController().signal);
}

/**
 * Sweeps so often, the queues being whole. The time is the median; what processor time and statements
 * all of them took is divided.
 */
export async function measureSweep(site: Site, repeats: number): Promise<SweepCost> {
  const sweep = makeBareSweep(site);
  // The first one queues what has no job; those after it are no longer compiled while they run.
  for (let repeat = 0; repeat < WARM_UPS; repeat += 1) await sweep();
  let statements = 0;
  const count = () => {
    statements += 1;
  };
  site.database.on('query', count);
  const times: number[] = [];
  const cpuBefore = process.cpuUsage();
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const begunAt = performance.now();
    await sweep();
    times.push(performance.now() - begunAt);
  }
  const { user, system } = process.cpuUsage(cpuBefore);
  site.database.off('query', count);

  return {
    ms: findMedian(times),
    cpuMs: (user + system) / 1000 / repeats,
    statements: statements / repeats,
  };
}

/** Fills a site's database with finished deliveries and some that are to be done. */
export async function fillWithOld(
  site: Site,
  { old, pending }: { readonly old: number; readonly pending: number },
): Promise<void> {
  if (old > 0) await addOldDeliveries(site.database, old);
  await addPendingDeliveries(site.database, pending);
  await site.database.raw('vacuum analyze contact_submissions, deliveries');
}

/** Adds a delivery that is due after a refusal, and one that is done. */
async function addSubjects(database: Database): Promise<Subjects> {
  const [due, sent] = await addDueDeliveries(database, 'follow-up', 2);
  if (!due || !sent) throw new Error('Two deliveries were to be added.');
  await database.raw("update deliveries set state = 'sent', sent_at = now() where id = ?", [sent.id]);
  const { rows } = await database.raw<{ rows: Array<{ submission_id: string }> }>(
    `update deliveries set last_error = 'http-401', retry_at = now() where id = ?
    returning submission_id`,
    [due.id],
  );
  const [row] = rows;
  if (!row) throw new Error('The delivery is gone.');
  await database.raw('vacuum analyze contact_submissions, deliveries');

  return { dueId: due.id, sentId: sent.id, submissionId: row.submission_id };
}

/** Explains every regular query on a filled database. */
export async function explainRegularQueries({ database, settings }: Site): Promise<ExplainedQuery[]> {
  const queries = listRegularQueries(await addSubjects(database));
  const explained: ExplainedQuery[] = [];
  for (const query of queries) {
    const plan = await explainWork(database, settings['DATABASE_URL'] ?? '', query.run);
    explained.push({ ...query, plan });
  }

  return explained;
}
