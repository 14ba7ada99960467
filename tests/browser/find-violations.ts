import axe from 'axe-core';
import type { Page } from 'playwright-core';

declare global {
  interface Window {
    /** What `axe.source` defines in a page. */
    readonly axe?: typeof axe;
  }
}

const options: axe.RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  // Of what keeps a rule nothing needs to be described; an element is described by its markup alone; and files are
  // loaded for one rule only, whose failures are no violations. Together that is half of the time.
  resultTypes: ['violations'],
  selectors: false,
  preload: false,
};

/**
 * The accessibility rules a page breaks (WCAG 2.2 A and AA), with the elements that break them.
 * @param exclude selectors of parts that are not checked
 */
export async function findViolations(page: Page, exclude: readonly string[] = []): Promise<[string, string[]][]> {
  // Not by a script element, which the content policy forbids.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);

  return page.evaluate(async ([skipped, runOptions]) => {
    // What fades in has the contrast of its last frame. One that is paused or follows scrolling would never end.
    const fading = document.getAnimations().filter(
      ({ playState, timeline, effect }) =>
        playState === 'running' && timeline instanceof DocumentTimeline && effect?.getComputedTiming().endTime !== Infinity,
    );
    for (const animation of fading) animation.finish();
    const results = await window.axe?.run({ exclude: [...skipped] }, runOptions);
    if (!results) throw new Error('The accessibility rules are not loaded.');

    return results.violations.map(({ id, nodes }): [string, string[]] => [id, nodes.map(({ html }) => html)]);
  }, [exclude, options] as const);
}
