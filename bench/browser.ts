import { execFileSync } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { launch } from 'chrome-launcher';
import lighthouse, { desktopConfig, type Result } from 'lighthouse';
import * as v from 'valibot';
import { findProgram, systemPath } from '../scripts/prerequisites.ts';
import { guardProcess } from '../scripts/processes.ts';
import { routePatterns } from '../shared/paths.ts';
import { chromiumFlags } from '../tests/support/browser.ts';
import { PASSWORD } from '../tests/support/insights-gate.ts';
import { pagePaths } from '../tests/support/site-content.ts';
import { startWebProcess } from '../tests/support/site-process.ts';
import type { Benchmark, OnCleanup } from './harness/benchmark.ts';
import { runInterleaved } from './harness/compare.ts';
import { formatNumber, formatTable, type Cell } from './harness/report.ts';
import { NO_DATABASE } from './harness/stores.ts';

/** Lighthouse's presets: a phone on slow 4G with a fourth of the processor, and a desktop. */
const devices = {
  mobile: 'Mobile (slow 4G and a processor four times slower, simulated).',
  desktop: 'Desktop (10 Mbit/s, 40 ms, simulated).',
} as const;

type Device = keyof typeof devices;

/** Lighthouse sometimes misses the start of a trace; three times in a row is no accident. */
const MAX_ATTEMPTS = 3;

/** The listing behind its password. */
const LOCKED = `${routePatterns.insights} (locked)`;

interface Target {
  readonly name: string;
  readonly url: string;
}

const requestsSchema = v.object({
  type: v.literal('table'),
  items: v.array(v.object({ resourceType: v.optional(v.string(), 'Other'), transferSize: v.number() })),
});

/** Scores from 0 to 100, times in milliseconds, and kilobytes on the wire. */
function readResult(result: Result) {
  const { items } = v.parse(requestsSchema, result.audits['network-requests']?.details);
  const score = (category: string) => Math.round((result.categories[category]?.score ?? Number.NaN) * 100);
  const read = (audit: string) => result.audits[audit]?.numericValue ?? Number.NaN;
  const kilobytes = (...types: string[]) =>
    items
      .filter(({ resourceType }) => types.length === 0 || types.includes(resourceType))
      .reduce((sum, { transferSize }) => sum + transferSize / 1000, 0);

  return {
    performance: score('performance'),
    accessibility: score('accessibility'),
    bestPractices: score('best-practices'),
    seo: score('seo'),
    fcp: read('first-contentful-paint'),
    lcp: read('largest-contentful-paint'),
    tbt: read('total-blocking-time'),
    cls: read('cumulative-layout-shift'),
    requests: items.length,
    documentKb: kilobytes('Document'),
    scriptKb: kilobytes('Script'),
    stylesheetKb: kilobytes('Stylesheet'),
    fontKb: kilobytes('Font'),
    imageKb: kilobytes('Image'),
    mediaKb: kilobytes('Media'),
    allKb: kilobytes(),
  };
}

type PageResults = ReturnType<typeof readResult>;

/** @param port of a running Chromium's debugger @throws when Lighthouse fails three times in a row */
async function measurePage(url: string, device: Device, port: number): Promise<PageResults> {
  const config = device === 'desktop' ? desktopConfig : undefined;
  let problem: unknown;
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const run = await lighthouse(url, { port, output: 'json', logLevel: 'silent' }, config);
    if (run && !run.lhr.runtimeError) return readResult(run.lhr);
    problem = run?.lhr.runtimeError?.message;
  }
  throw new Error(`Lighthouse could not measure ${url}: ${String(problem)}`);
}

/**
 * Serves the pages. The servers and this process give way to the browser, which has been started before:
 * Lighthouse takes the time in which a page's work was done for the time that work needs.
 */
async function startPages(paths: readonly string[], onCleanup: OnCleanup): Promise<Target[]> {
  const settings = { DATABASE_URL: NO_DATABASE, LOG_LEVEL: 'error' };
  const [open, locked] = await Promise.all([
    startWebProcess(settings),
    startWebProcess({ ...settings, INSIGHTS_PASSWORD: PASSWORD }),
  ]);
  onCleanup(() => Promise.all([open.stop(), locked.stop()]));
  for (const pid of [process.pid, open.pid, locked.pid]) setPriority(pid, constants.priority.PRIORITY_LOW);
  for (const { pid } of [open, locked]) guardProcess(pid, 'SIGTERM');

  return paths.map((name) =>
    name === LOCKED
      ? { name, url: locked.origin + routePatterns.insights }
      : { name, url: open.origin + name },
  );
}

const HEAD = [
  ...['page', 'performance', 'accessibility, best practices, SEO', 'FCP ms', 'LCP ms', 'TBT ms', 'CLS'],
  ...['requests', 'document kB', 'script kB', 'stylesheet kB', 'font kB', 'image kB', 'media kB', 'all kB'],
];

const makeRow = (name: string, { accessibility, bestPractices, seo, ...page }: PageResults): Cell[] => [
  ...[name, page.performance, [accessibility, bestPractices, seo].join(', ')],
  ...[page.fcp, page.lcp, page.tbt].map(Math.round),
  ...[page.cls, page.requests, page.documentKb, page.scriptKb, page.stylesheetKb],
  ...[page.fontKb, page.imageKb, page.mediaKb, page.allKb],
];

async function measureDevice(
  device: Device,
  { targets, port, runs }: { readonly targets: readonly Target[]; readonly port: number; readonly runs: number },
): Promise<string[]> {
  const measure = async ({ name, url }: Target) => {
    const results = await measurePage(url, device, port);
    console.error(`${device} ${name}: ${results.performance}`);

    return results;
  };
  const results = await runInterleaved(targets, measure, runs);
  const lowest = Math.min(...results.map(({ performance }) => performance));
  const slowest = Math.max(...results.map(({ lcp }) => lcp));

  return [
    `${devices[device]} The lowest performance score is ${lowest}, the slowest LCP ${formatNumber(slowest)} ms.`,
    formatTable(HEAD, results.map((each, index) => makeRow(targets[index]?.name ?? '', each))),
  ];
}

/** Lighthouse's scores and times of every page. */
export const benchmark: Benchmark = {
  prerequisites: ['chromium'],
  packages: ['lighthouse'],
  // The processor time of a page varies.
  runs: 5,
  measure: async ({ isQuick, pages, runs, onCleanup }) => {
    const chromePath = findProgram('chromium', systemPath);
    if (chromePath === undefined) throw new Error('Chromium is not installed.');
    const chromium = await launch({ chromePath, chromeFlags: ['--headless=new', ...chromiumFlags] });
    onCleanup(() => chromium.kill());
    const all = isQuick ? ['/'] : [...pagePaths, LOCKED];
    const targets = await startPages(pages.length > 0 ? pages : all, onCleanup);
    const version = execFileSync(chromePath, ['--version'], { encoding: 'utf8' }).trim();
    const options = { targets, port: chromium.port, runs };

    return [
      `${version}, headless, the median of ${runs} runs. Server and browser share both cores; the server and ` +
        'Lighthouse give way to the browser. kB are those on the wire.',
      ...(await measureDevice('mobile', options)),
      ...(await measureDevice('desktop', options)),
    ];
  },
};
