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
  // These options halve the time. axe doesn't describe passed rules or selectors, and doesn't load files. Only one rule
  // needs files, and it reports no violations.
  resultTypes: ['violations'],
  selectors: false,
  preload: false,
};

/**
 * Returns the accessibility rules that a page breaks (WCAG 2.2 A and AA), with the elements that break them.
 * @param exclude selectors for the parts to skip
 */
export async function findViolations(page: Page, exclude: readonly string[] = []): Promise<[string, string[]][]> {
  // The content policy forbids adding a script element.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);

  return page.evaluate(async ([skipped, runOptions]) => {
    // Finish fade-ins, so that text is checked in its final state. Paused and scroll-driven animations would never end.
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
