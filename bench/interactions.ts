import { chromium, devices, type Page } from 'playwright-core';
import { findProgram, systemPath } from '../scripts/prerequisites.ts';
import { guardProcess } from '../scripts/processes.ts';
import { routePatterns } from '../shared/paths.ts';
import { findMenu } from '../tests/browser/find-menu.ts';
import { chromiumFlags, waitUntilHydrated } from '../tests/support/browser.ts';
import { startWebProcess } from '../tests/support/site-process.ts';
import type { Benchmark } from './harness/benchmark.ts';
import { runInterleaved, type Results } from './harness/compare.ts';
import { formatTable } from './harness/report.ts';
import { NO_DATABASE } from './harness/stores.ts';

/** How much slower than this machine the page's main thread is. */
const SLOWDOWN = 6;

/** The shortest interaction that Chromium reports, in milliseconds (Event Timing API). */
const SHORTEST = 16;

/** What a visitor does, one step after the other; the first wakes React. */
interface Scenario {
  /** Of a page of the site; without it the page is `BASELINE`. */
  readonly path?: string;
  readonly steps: Readonly<Record<string, (page: Page) => Promise<unknown>>>;
}

/** A page with nothing but a menu and a field, and no scripts. */
const BASELINE = `<!doctype html><meta name="viewport" content="width=device-width">
<details><summary>Menu</summary><p>Solutions</p></details><label>Full Name <input></label>`;

const tapMenu = (page: Page) => findMenu(page, 'Menu').locator('> summary').tap();

const scenarios: readonly Scenario[] = [
  {
    steps: {
      'plain page: a menu opens': (page) => page.locator('summary').tap(),
      'plain page: tap into a field': (page) => page.getByLabel('Full Name').tap(),
      'plain page: a letter': (page) => page.keyboard.press('A'),
    },
  },
  {
    path: routePatterns.home,
    steps: {
      'menu: first tap': tapMenu,
      'menu: a group opens': (page) => findMenu(page, 'Solutions').locator('> summary').tap(),
      'menu: closes': tapMenu,
    },
  },
  {
    path: routePatterns.contact,
    steps: {
      'form: first tap into a field': (page) => page.getByLabel('Full Name').tap(),
      'form: a letter': (page) => page.keyboard.press('A'),
      'form: sent with errors': (page) => page.locator('main form button[type="submit"]').tap(),
    },
  },
  {
    path: routePatterns.insights,
    steps: {
      'filter: first tap into the search': (page) => page.getByRole('searchbox', { name: 'Search' }).tap(),
      'filter: a letter': (page) => page.keyboard.press('a'),
      'filter: a letter more': (page) => page.keyboard.press('i'),
    },
  },
];

/** Runs in the page, before its own scripts: collects the durations of interactions in `window.durations`. */
function observeInteractions(durationThreshold: number): void {
  const durations: number[] = [];
  Object.assign(window, { durations });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as PerformanceEventTiming[]) {
      if (entry.interactionId) durations.push(entry.duration);
    }
  }).observe({ type: 'event', durationThreshold, buffered: true } as PerformanceObserverInit);
}

/** The longest interaction since the last call, in milliseconds; `SHORTEST` when none took longer. */
async function readLongest(page: Page): Promise<number> {
  const durations = await page.evaluate(
    () =>
      new Promise<number[]>((resolve) => {
        // Entries are reported after the frame that follows the interaction.
        const read = () => resolve((window as unknown as { durations: number[] }).durations.splice(0));
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(read, 200)));
      }),
  );

  return Math.max(SHORTEST, ...durations);
}

/** Interactions to next paint on a phone whose processor is slow, asleep and awake. */
export const benchmark: Benchmark = {
  prerequisites: ['chromium'],
  packages: ['playwright-core'],
  measure: async ({ runs, onCleanup }) => {
    const executablePath = findProgram('chromium', systemPath);
    if (executablePath === undefined) throw new Error('Chromium is not installed.');
    const browser = await chromium.launch({ executablePath, args: [...chromiumFlags] });
    onCleanup(() => browser.close());
    const web = await startWebProcess({ DATABASE_URL: NO_DATABASE, LOG_LEVEL: 'error' });
    onCleanup(() => web.stop());
    guardProcess(web.pid, 'SIGTERM');

    const measure = async ({ path, steps }: Scenario): Promise<Results> => {
      const context = await browser.newContext({ ...devices['Pixel 7'] });
      const page = await context.newPage();
      await page.addInitScript(observeInteractions, SHORTEST);
      const session = await context.newCDPSession(page);
      await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
      await page.goto(path === undefined ? 'about:blank' : web.origin + path, { waitUntil: 'load' });
      if (path === undefined) await page.setContent(BASELINE);
      const results: Record<string, number> = {};
      for (const [index, [name, act]] of Object.entries(steps).entries()) {
        await act(page);
        results[name] = await readLongest(page);
        if (index > 0 || path === undefined) continue;
        await waitUntilHydrated(page);
        await readLongest(page);
      }
      await context.close();

      return results;
    };
    const results = await runInterleaved(scenarios, measure, 3 * runs);
    const rows = results.flatMap((result) => Object.entries(result));

    return [
      `Interaction to next paint (Event Timing API, to 8 ms), a phone of 412 pixels, main thread ${SLOWDOWN} × slower, the ` +
        `median of ${3 * runs} visits; ${SHORTEST} ms stands for what is shorter than Chromium reports. The first tap ` +
        'of each finds a page without React and wakes it.',
      formatTable(['interaction', 'ms'], rows),
    ];
  },
};
