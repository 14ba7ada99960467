import lighthouse, { desktopConfig, type Result } from 'lighthouse';
import * as v from 'valibot';

/** Lighthouse's two presets: a phone on slow 4G with a fourth of the processor, and a desktop. */
export type Device = 'mobile' | 'desktop';

/** What a page fetches, by the browser's names; all else counts as `other`. */
const NAMED_TYPES = ['document', 'script', 'stylesheet', 'font', 'image', 'media'] as const;

export const resourceTypes = [...NAMED_TYPES, 'other'] as const;

export type ResourceType = (typeof resourceTypes)[number];

/**
 * What Lighthouse found for one page, in one run: times in milliseconds, scores 0 to 100, and
 * kilobytes on the wire of each type of resource.
 */
export type PageMeasurement = Readonly<
  Record<
    | 'performance'
    | 'accessibility'
    | 'bestPractices'
    | 'seo'
    | 'firstContentfulPaint'
    | 'largestContentfulPaint'
    | 'totalBlockingTime'
    | 'cumulativeLayoutShift'
    | 'requests'
    | ResourceType,
    number
  >
>;

/** Lighthouse loses the start of the trace now and then; more often it isn't an accident. */
const MAX_TRIES = 3;

const requestsSchema = v.object({
  type: v.literal('table'),
  items: v.array(v.object({ resourceType: v.optional(v.string(), 'Other'), transferSize: v.number() })),
});

function getNumber(result: Result, audit: string): number {
  return result.audits[audit]?.numericValue ?? Number.NaN;
}

function getScore(result: Result, category: string): number {
  return Math.round((result.categories[category]?.score ?? Number.NaN) * 100);
}

function toResourceType(name: string): ResourceType {
  return NAMED_TYPES.find((type) => type === name.toLowerCase()) ?? 'other';
}

function sumKilobytes(
  requests: v.InferOutput<typeof requestsSchema>['items'],
): Record<ResourceType, number> {
  const kilobytes = { document: 0, script: 0, stylesheet: 0, font: 0, image: 0, media: 0, other: 0 };
  for (const { resourceType, transferSize } of requests) {
    kilobytes[toResourceType(resourceType)] += transferSize / 1000;
  }

  return kilobytes;
}

function readResult(result: Result): PageMeasurement {
  const { items } = v.parse(requestsSchema, result.audits['network-requests']?.details);

  return {
    performance: getScore(result, 'performance'),
    accessibility: getScore(result, 'accessibility'),
    bestPractices: getScore(result, 'best-practices'),
    seo: getScore(result, 'seo'),
    firstContentfulPaint: getNumber(result, 'first-contentful-paint'),
    largestContentfulPaint: getNumber(result, 'largest-contentful-paint'),
    totalBlockingTime: getNumber(result, 'total-blocking-time'),
    cumulativeLayoutShift: getNumber(result, 'cumulative-layout-shift'),
    requests: items.length,
    ...sumKilobytes(items),
  };
}

/**
 * Measures a page once with Lighthouse's preset for a device; its network and processor are
 * simulated.
 * @param port debugging port of a running Chromium
 * @throws when Lighthouse fails three times in a row
 */
export async function measurePage(
  url: string,
  device: Device,
  port: number,
): Promise<PageMeasurement> {
  const config = device === 'desktop' ? desktopConfig : undefined;
  let problem: unknown;
  for (let attempt = 1; attempt <= MAX_TRIES; attempt += 1) {
    const run = await lighthouse(url, { port, output: 'json', logLevel: 'silent' }, config);
    if (run && !run.lhr.runtimeError) return readResult(run.lhr);
    problem = run?.lhr.runtimeError?.message;
  }
  throw new Error(`Lighthouse could not measure ${url}: ${String(problem)}`);
}
