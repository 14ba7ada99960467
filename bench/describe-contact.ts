import type { ContactRung } from './baselines/contact-rungs.ts';
import type { Figures } from './compare.ts';
import { writeNumber, writeTable, type Cell } from './report.ts';

/** Of one server under load: rate in requests a second, waits and processor time in milliseconds. */
export interface ContactFigures extends Figures {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  /** Of the server's process, for one request. */
  readonly cpuMs: number;
  /** Memory of the server's process after it. */
  readonly mib: number;
}

/** A rung as it was measured. */
export interface MeasuredRung {
  readonly rung: ContactRung | 'product';
  /** Statements to PostgreSQL for one request. */
  readonly queries: number;
  readonly figures: ContactFigures;
}

/** What was measured while Redis was away. */
export interface MeasuredOutage {
  readonly limit: ContactFigures;
  readonly product: ContactFigures;
}

const names: Readonly<Record<MeasuredRung['rung'], string>> = {
  insert: 'schema and insert',
  job: 'the limit: schema, insert, one job',
  transaction: '+ a transaction around the insert',
  repeats: '+ a repeat is known by its id and a fingerprint of its content',
  outbox: '+ the outbox: four deliveries, written with the request',
  jobs: '+ a job for each of them, instead of one',
  spam: '+ a look for signs of spam',
  'rate-limit': '+ the rate limit, counted in Redis before the commit',
  product: 'the product: + its validation, log, metrics, headers and time limits',
};

const rateHead = ['', 'requests/s', 'of the limit', 'p50 ms', 'p99 ms', 'CPU ms/request', 'memory MiB'];

const writePair = (limitName: string, limit: ContactFigures, product: ContactFigures) =>
  writeTable(
    rateHead,
    [
      [limitName, limit] as const,
      ['the product’s `POST /api/contact-submissions`', product] as const,
    ].map(([name, { rate, p50, p99, cpuMs, mib }]) => [name, rate, rate / limit.rate, p50, p99, cpuMs, mib]),
  );

function writeLadder(ladder: readonly MeasuredRung[]): string {
  const limit = ladder[0]?.figures.rate ?? Number.NaN;
  const rows = ladder.map(({ rung, queries, figures: { rate, cpuMs } }, index): Cell[] => {
    const above = ladder[index - 1]?.figures.cpuMs;
    const difference = above === undefined ? '' : cpuMs - above;

    return [names[rung], rate, rate / limit, cpuMs, difference, queries];
  });
  const head = ['', 'requests/s', 'of the limit', 'CPU ms/request', 'more than above', 'queries/request'];

  return writeTable(head, rows);
}

/**
 * The report of the part: beside the limit with Redis and without, and what each guarantee costs.
 * @param answered requests of all runs, each of which was found in PostgreSQL
 */
export function describeContact(
  ladder: readonly MeasuredRung[],
  outage: MeasuredOutage,
  answered: number,
): readonly string[] {
  const [limit, product] = [ladder[0], ladder.at(-1)];
  if (!limit || !product) throw new Error('Nothing was measured.');

  return [
    'With Redis:',
    writePair(names.job, limit.figures, product.figures),
    'While Redis is away:',
    writePair(names.insert, outage.limit, outage.product),
    'What each guarantee costs, with Redis; each line has all that the lines above it have:',
    writeLadder(ladder),
    `${writeNumber(answered)} requests were answered. After each run the tables held as many and those that ` +
      'the end of the load left without an answer, each with its deliveries and jobs.',
  ];
}
