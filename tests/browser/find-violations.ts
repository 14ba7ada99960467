import axe from 'axe-core';
import type { Page } from 'playwright-core';

declare global {
  interface Window {
    /** The API that `axe.source` defines in a page. */
    readonly axe?: typeof axe;
  }
}

const options: axe.RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  // These options save half of the time. Passed rules aren't described, elements are described only by their markup, and
  // no files are loaded, which only one rule needs whose failures aren't violations.
  resultTypes: ['violations'],
  selectors: false,
  preload: false,
};

/**
 * The accessibility rules that a page breaks (WCAG 2.2 A and AA), with the elements that break them.
 * @param exclude selectors of unchecked parts
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
