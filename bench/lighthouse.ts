import { cpus } from 'node:os';
import { launch } from 'chrome-launcher';
import { ensureBuilt } from '../scripts/build.ts';
import { pathTo, routePatterns } from '../shared/paths.ts';
import { chromiumFlags, findChromium } from '../tests/support/browser.ts';
import { articles, pagePaths } from '../tests/support/site-content.ts';
import { PASSWORD } from '../tests/support/insights-gate.ts';
import { startWebProcess } from '../tests/support/site-process.ts';
import { measurePage, type PageMeasurement } from './measure-page.ts';

const REPEATS = 3;
/** The pages the site promises something about; `--all` measures every page. */
const PROMISED_PAGES = [
  routePatterns.home,
  pathTo.solution('ai-transformation'),
  routePatterns.about,
  routePatterns.contact,
  routePatterns.insights,
  ...articles.map(({ slug }) => pathTo.article(slug)),
];
/** Pages come from memory: nothing is asked of this database. */
const NO_DATABASE = 'postgres://127.0.0.1:1/none';

/** The middle one of the runs, by a figure of theirs. */
function findMedian(runs: readonly PageMeasurement[], by: keyof PageMeasurement): number {
  const values = runs.map((run) => run[by]).sort((one, other) => one - other);

  return values[Math.floor(values.length / 2)] ?? Number.NaN;
}

const columns: readonly (readonly [string, keyof PageMeasurement, number])[] = [
  ['performance', 'performance', 0],
  ['accessibility', 'accessibility', 0],
  ['best practices', 'bestPractices', 0],
  ['SEO', 'seo', 0],
  ['FCP ms', 'firstContentfulPaint', 0],
  ['LCP ms', 'largestContentfulPaint', 0],
  ['TBT ms', 'totalBlockingTime', 0],
  ['CLS', 'cumulativeLayoutShift', 3],
  ['requests', 'requests', 0],
  ['kB', 'kilobytes', 0],
];

const writeRow = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;

async function measureMedians(url: string, port: number): Promise<string[]> {
  const runs: PageMeasurement[] = [];
  for (let repeat = 1; repeat <= REPEATS; repeat += 1) runs.push(await measurePage(url, port));

  return columns.map(([, figure, digits]) => findMedian(runs, figure).toFixed(digits));
}

async function printTable(paths: readonly string[]): Promise<void> {
  await ensureBuilt();
  const settings = { DATABASE_URL: NO_DATABASE, LOG_LEVEL: 'error' };
  const [open, gated] = await Promise.all([
    startWebProcess(settings),
    startWebProcess({ ...settings, INSIGHTS_PASSWORD: PASSWORD }),
  ]);
  const chromium = await launch({
    chromePath: findChromium(),
    chromeFlags: ['--headless=new', ...chromiumFlags],
  });
  try {
    console.log(`Lighthouse, mobile preset, median of ${REPEATS}; ${cpus().length} cores.\n`);
    console.log(writeRow(['page', ...columns.map(([name]) => name)]));
    console.log(writeRow(['---', ...columns.map(() => '---:')]));
    const rows = [
      ...paths.map((path) => ({ label: path, url: open.origin + path })),
      {
        label: `${routePatterns.insights} (locked)`,
        url: gated.origin + routePatterns.insights,
      },
    ];
    for (const { label, url } of rows) {
      console.log(writeRow([label, ...(await measureMedians(url, chromium.port))]));
    }
  } finally {
    chromium.kill();
    await Promise.all([open.stop(), gated.stop()]);
  }
}

await printTable(process.argv.includes('--all') ? pagePaths : PROMISED_PAGES);
