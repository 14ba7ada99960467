import lighthouse, { type Result } from 'lighthouse';

/** What Lighthouse found for one page, in one run. Times in milliseconds, scores 0 to 100. */
export interface PageMeasurement {
  readonly performance: number;
  readonly accessibility: number;
  readonly bestPractices: number;
  readonly seo: number;
  readonly firstContentfulPaint: number;
  readonly largestContentfulPaint: number;
  readonly totalBlockingTime: number;
  readonly cumulativeLayoutShift: number;
  readonly requests: number;
  readonly kilobytes: number;
}

/** Lighthouse loses the start of the trace now and then; more often it isn't an accident. */
const MAX_TRIES = 3;

function getNumber(result: Result, audit: string): number {
  return result.audits[audit]?.numericValue ?? Number.NaN;
}

function getScore(result: Result, category: string): number {
  return Math.round((result.categories[category]?.score ?? Number.NaN) * 100);
}

function countRequests(result: Result): number {
  const details = result.audits['network-requests']?.details;

  return details?.type === 'table' ? details.items.length : Number.NaN;
}

function readResult(result: Result): PageMeasurement {
  return {
    performance: getScore(result, 'performance'),
    accessibility: getScore(result, 'accessibility'),
    bestPractices: getScore(result, 'best-practices'),
    seo: getScore(result, 'seo'),
    firstContentfulPaint: getNumber(result, 'first-contentful-paint'),
    largestContentfulPaint: getNumber(result, 'largest-contentful-paint'),
    totalBlockingTime: getNumber(result, 'total-blocking-time'),
    cumulativeLayoutShift: getNumber(result, 'cumulative-layout-shift'),
    requests: countRequests(result),
    kilobytes: getNumber(result, 'total-byte-weight') / 1000,
  };
}

/**
 * Measures a page once with Lighthouse's mobile preset: a slow 4G connection and a processor four
 * times slower, both simulated.
 * @param port debugging port of a running Chromium
 * @throws when Lighthouse fails three times in a row
 */
export async function measurePage(url: string, port: number): Promise<PageMeasurement> {
  let problem: unknown;
  for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
    const run = await lighthouse(url, { port, output: 'json', logLevel: 'silent' });
    if (run && !run.lhr.runtimeError) return readResult(run.lhr);
    problem = run?.lhr.runtimeError?.message;
  }
  throw new Error(`Lighthouse could not measure ${url}: ${String(problem)}`);
}
