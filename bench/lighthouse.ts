import { execFileSync } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { launch } from 'chrome-launcher';
import { guardProcess } from '../scripts/processes.ts';
import { routePatterns } from '../shared/paths.ts';
import { chromiumFlags, findChromium } from '../tests/support/browser.ts';
import { PASSWORD } from '../tests/support/insights-gate.ts';
import { pagePaths } from '../tests/support/site-content.ts';
import { startWebProcess } from '../tests/support/site-process.ts';
import { compareInTurns, REPEATS } from './compare.ts';
import { measurePage, resourceTypes, type Device, type PageMeasurement } from './measure-page.ts';
import { NO_DATABASE } from './production-settings.ts';
import { printPart, publishPart, writeNumber, writeTable, type Cell, type PartReport } from './report.ts';
import { runPart, type AtEnd } from './run-part.ts';

const LOCKED = `${routePatterns.insights} (locked)`;

interface Target {
  readonly label: string;
  readonly url: string;
}

interface Row {
  readonly label: string;
  readonly figures: PageMeasurement;
}

/**
 * The pages asked for, each with its address; the listing also as it is behind its password. The
 * servers and this process give way to the browser, which is started before: Lighthouse takes the
 * time a page's work lasted for the time that work needs.
 */
async function startPages(paths: readonly string[], atEnd: AtEnd): Promise<Target[]> {
  const settings = { DATABASE_URL: NO_DATABASE, LOG_LEVEL: 'error' };
  const [open, gated] = await Promise.all([
    startWebProcess(settings),
    startWebProcess({ ...settings, INSIGHTS_PASSWORD: PASSWORD }),
  ]);
  atEnd(() => Promise.all([open.stop(), gated.stop()]));
  for (const pid of [process.pid, open.pid, gated.pid]) {
    setPriority(pid, constants.priority.PRIORITY_LOW);
  }
  for (const { pid } of [open, gated]) guardProcess(pid, 'SIGTERM');

  return paths.map((label) =>
    label === LOCKED
      ? { label, url: gated.origin + routePatterns.insights }
      : { label, url: open.origin + label },
  );
}

const columns = [
  'page',
  'performance',
  'accessibility, best practices, SEO',
  'FCP ms',
  'LCP ms',
  'TBT ms',
  'CLS',
  'requests',
  ...resourceTypes.map((type) => `${type} kB`),
  'all kB',
];

function makeCells({ label, figures }: Row): Cell[] {
  const kilobytes = resourceTypes.map((type) => figures[type]);
  const sum = kilobytes.reduce((one, other) => one + other, 0);

  return [
    label,
    figures.performance,
    [figures.accessibility, figures.bestPractices, figures.seo].join(', '),
    Math.round(figures.firstContentfulPaint),
    Math.round(figures.largestContentfulPaint),
    Math.round(figures.totalBlockingTime),
    figures.cumulativeLayoutShift,
    figures.requests,
    ...kilobytes,
    sum,
  ];
}

function describeRows(title: string, rows: readonly Row[]): string[] {
  const lowest = Math.min(...rows.map(({ figures }) => figures.performance));
  const slowest = Math.max(...rows.map(({ figures }) => figures.largestContentfulPaint));

  return [
    `${title} The lowest score of performance is ${lowest}, the latest LCP ${writeNumber(slowest)} ms.`,
    writeTable(columns, rows.map(makeCells)),
  ];
}

async function measureRows(
  targets: readonly Target[],
  device: Device,
  port: number,
): Promise<Row[]> {
  const medians = await compareInTurns(targets, async ({ label, url }) => {
    const figures = await measurePage(url, device, port);
    console.error(`${device} ${label}: ${figures.performance}`);

    return figures;
  });

  return medians.map((figures, index) => ({ label: targets[index]?.label ?? '', figures }));
}

const { values } = parseArgs({ options: { page: { type: 'string', multiple: true } } });
const { page: wanted } = values;
/** What was asked for alone is printed only: the report has every page. */
const publish = wanted ? printPart : publishPart;

const titles = {
  mobile: '**Mobile** (slow 4G and a processor four times slower, simulated).',
  desktop: '**Desktop** (10 Mbit/s, 40 ms, simulated).',
} as const satisfies Record<Device, string>;

await runPart(
  ['chromium'],
  async (atEnd) => {
    const chromePath = findChromium();
    const chromium = await launch({ chromePath, chromeFlags: ['--headless=new', ...chromiumFlags] });
    atEnd(() => chromium.kill());
    const targets = await startPages(wanted ?? [...pagePaths, LOCKED], atEnd);
    const version = execFileSync(chromePath, ['--version'], { encoding: 'utf8' }).trim();
    const measure = async (device: Device) =>
      describeRows(titles[device], await measureRows(targets, device, chromium.port));
    const report = (blocks: readonly string[]): PartReport => ({
      part: 'lighthouse',
      packages: ['lighthouse'],
      blocks: [
        `${version}, headless, each figure the median of ${REPEATS} runs. Server and browser share ` +
          'both cores, because Chromium needs more than one; the server and Lighthouse itself give way to the browser. ' +
          'kB are those on the wire.',
        ...blocks,
      ],
    });
    const mobile = await measure('mobile');
    // Each half takes ten minutes and more.
    publish(report(mobile));

    return report([...mobile, ...(await measure('desktop'))]);
  },
  publish,
);
