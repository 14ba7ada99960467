import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { solutions } from '#content/solutions';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import { eventually, moving, serveSite } from './serve-site.ts';

/** Time after which a visible vignette no longer moves, in milliseconds. */
const LONGEST_MOTION = 1_500;
/** Font size in pixels. */
const SMALLEST_TEXT = 13;

/** Each vignette and its position on the page. */
const vignettes = [
  [1, routePatterns.home],
  [2, routePatterns.home],
  ...solutions.map(({ slug }) => [1, pathTo.solution(slug)] as const),
] as const;

const site = serveSite(undefined, moving);
const visit = site.shareTab({ reducedMotion: 'reduce' });

const findVignette = (page: Page, number = 1) => page.locator('main figure').getByRole('img').nth(number - 1);

/** Returns the smallest text size in a vignette, and the texts that overflow it. */
function readTexts(vignette: Locator) {
  return vignette.evaluate((stage) => {
    const end = stage.getBoundingClientRect().right;
    const texts = [...stage.querySelectorAll('*')].filter(
      (element) =>
        element.checkVisibility() &&
        [...element.childNodes].some((node) => node instanceof Text && node.data.trim() !== ''),
    );

    return {
      smallest: Math.min(...texts.map((element) => parseFloat(getComputedStyle(element).fontSize))),
      outside: texts
        .filter((element) => element.getBoundingClientRect().right > end)
        .map(({ textContent }) => textContent),
    };
  });
}

/** Returns a vignette's animations, except the scroll-driven ones that trigger them. */
function readMotions(vignette: Locator) {
  return vignette.evaluate((stage) =>
    stage
      .getAnimations({ subtree: true })
      .filter(({ timeline }) => timeline === document.timeline)
      .map(({ playState, effect }) => ({
        playState,
        end: Number(effect?.getComputedTiming().endTime),
        iterations: effect?.getComputedTiming().iterations,
        isSheet: effect instanceof KeyframeEffect && effect.target?.parentElement === stage,
      })),
  );
}

const readStates = async (vignette: Locator) => [
  ...new Set((await readMotions(vignette)).map(({ playState }) => playState)),
];

test.each(vignettes)('vignette %i of %s has a one-sentence description, is readable on narrow screens, and moves only briefly', async (number, path) => {
  const { page } = await visit(path);
  const vignette = findVignette(page, number);

  expect(await vignette.getAttribute('aria-label')).toMatch(/^[A-Z](?!.*\. ).{80,}\.$/);
  expect(await vignette.locator('xpath=following-sibling::figcaption').innerText()).toBe(
    'Illustration with sample data.',
  );
  expect(await readMotions(vignette)).toEqual([]);
  for (const width of [1280, 390, 320]) {
    await page.setViewportSize({ width, height: 800 });
    const { smallest, outside } = await readTexts(vignette);

    expect(smallest, `${width} pixels`).toBeGreaterThanOrEqual(SMALLEST_TEXT);
    expect(outside, `${width} pixels`).toEqual([]);
  }

  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await eventually(() => readMotions(vignette)).not.toEqual([]);
  const motions = await readMotions(vignette);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  // The sheets of paper in a vignette never move.
  expect(
    motions.filter(({ end, iterations, isSheet }) => end > LONGEST_MOTION || iterations !== 1 || isSheet),
  ).toEqual([]);
});

test('a vignette starts moving when it becomes visible, moves only once, and prints its final state', async () => {
  const { page } = await site.visit(pathTo.solution('contract-compliance'), { reducedMotion: 'no-preference' });
  const vignette = findVignette(page);
  expect(await readStates(vignette)).toEqual(['paused']);
  await page.emulateMedia({ media: 'print' });
  expect(await readStates(vignette)).toEqual([]);
  await page.emulateMedia({ media: 'screen' });
  expect(await readStates(vignette)).toEqual(['paused']);

  await vignette.scrollIntoViewIfNeeded();
  await eventually(() => readStates(vignette)).toEqual(['running']);
  await vignette.evaluate((stage) => {
    for (const animation of stage.getAnimations({ subtree: true })) {
      if (animation.timeline === document.timeline) animation.finish();
    }
  });
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
  await eventually(() => page.evaluate(() => scrollY)).toBe(0);
  await vignette.scrollIntoViewIfNeeded();
  expect(await readMotions(vignette)).toEqual([]);
});
