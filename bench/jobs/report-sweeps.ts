import { compareInTurns, REPEATS } from '../compare.ts';
import { writeNumber, writeTable } from '../report.ts';
import {
  explainRegularQueries,
  fillWithOld,
  measureSweep,
  type ExplainedQuery,
  type SweepCost,
} from './measure-sweep.ts';
import type { Site } from './servers.ts';

interface Sizes {
  readonly pending: number;
  readonly sweeps: number;
}

interface Measured {
  readonly old: number;
  readonly sweep: SweepCost;
  readonly queries: readonly ExplainedQuery[];
}

/** Measures the sweeps of all sizes in turns, then explains the queries of each. */
async function measureBeside(
  sizes: readonly number[],
  { pending, sweeps }: Sizes,
  sites: readonly Site[],
): Promise<Measured[]> {
  // They share one Redis, in which none disturbs the others: jobs are named after their deliveries.
  await sites[0]?.emptyQueues();
  for (const [index, site] of sites.entries()) await fillWithOld(site, { old: sizes[index] ?? 0, pending });
  const costs = await compareInTurns(sites, (site) => measureSweep(site, sweeps));
  const measured: Measured[] = [];
  for (const [index, site] of sites.entries()) {
    const [old, sweep] = [sizes[index], costs[index]];
    if (old === undefined || !sweep) throw new Error('Each size has a site.');
    measured.push({ old, sweep, queries: await explainRegularQueries(site) });
  }

  return measured;
}

/** Each query at the second largest and at the largest size, which shows what it grows with. */
function writeQueries(smaller: Measured, largest: Measured): string {
  const rows = largest.queries.map(({ what, when, growsWith, plan }, index) => [
    what,
    when,
    plan.ways.join(', ') || 'no table',
    smaller.queries[index]?.plan.rows ?? Number.NaN,
    plan.rows,
    plan.pages,
    plan.ms,
    growsWith,
  ]);
  const rowsAt = ({ old }: Measured) => `rows at ${writeNumber(old)}`;

  return writeTable(
    ['query', 'when', 'reads', rowsAt(smaller), rowsAt(largest), 'pages', 'ms', 'grows with'],
    rows,
  );
}

/**
 * What a sweep costs beside finished deliveries, and how PostgreSQL answers every regular question.
 * @param sizes numbers of finished deliveries, ascending; at least two
 * @param createSite makes an empty site for one of the sizes
 */
export async function reportSweeps(
  sizes: readonly number[],
  counts: Sizes,
  createSite: (old: number) => Promise<Site>,
): Promise<readonly string[]> {
  const sites: Site[] = [];
  for (const old of sizes) sites.push(await createSite(old));
  const measured = await measureBeside(sizes, counts, sites);
  const [smaller, largest] = measured.slice(-2);
  if (!smaller || !largest) throw new Error('Growth needs two sizes.');

  return [
    `One sweep (every 30 s, of all workers one) beside finished deliveries, with ${counts.pending} ` +
      `that wait for their time: medians of ${REPEATS} turns, each of ${counts.sweeps} sweeps. CPU is that of ` +
      'the process that sweeps, here the benchmark’s own.',
    writeTable(
      ['finished deliveries', 'ms', 'CPU ms', 'statements'],
      measured.map(({ old, sweep }) => [writeNumber(old), sweep.ms, sweep.cpuMs, sweep.statements]),
    ),
    'What web, worker, digest, metrics and doctor ask regularly, as the product’s own functions send ' +
      `it, by EXPLAIN (ANALYZE, BUFFERS): beside ${writeNumber(largest.old)} finished deliveries, ` +
      `with the rows looked at beside ${writeNumber(smaller.old)} too. Pages are of 8 KiB, from ` +
      'memory or disk; “all of” is a table read from end to end.',
    writeQueries(smaller, largest),
  ];
}
