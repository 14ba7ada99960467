import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { routePatterns } from '../../shared/paths.ts';
import { eventually, moving, serveSite, withoutScripts } from './serve-site.ts';

const site = serveSite(undefined, moving);

const VIDEO_FILE = /\.(webm|mp4)$/;
const findVideo = (page: Page) => page.locator('main video');
const findButton = (page: Page, action: 'Pause' | 'Play') =>
  page.getByRole('button', { name: `${action} background video` });
const isPaused = (page: Page) =>
  findVideo(page).evaluate((video) => (video as HTMLVideoElement).paused);
const readTime = (page: Page) =>
  findVideo(page).evaluate((video) => (video as HTMLVideoElement).currentTime);

/** Records video requests and the document's load event, in order. */
function record(page: Page): string[] {
  const events: string[] = [];
  page.on('load', () => events.push('load'));
  page.on('request', (request) => {
    if (VIDEO_FILE.test(request.url())) events.push('video');
  });

  return events;
}

async function visit(path: string, options: Parameters<typeof site.visit>[1] = {}) {
  let events: string[] = [];
  const visited = await site.visit(path, {
    ...options,
    prepare: async (page) => {
      events = record(page);
      await options.prepare?.(page);
    },
  });

  return { ...visited, events };
}

async function saveData(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'connection', {
      value: Object.assign(new EventTarget(), { saveData: true }),
    });
  });
}

const reasons = [
  ['at 768 pixels', { viewport: { width: 768, height: 900 } }],
  ['on a phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
  ['if the visitor prefers reduced motion', { reducedMotion: 'reduce' as const }],
  ['if the visitor saves data', { prepare: saveData }],
  ['without scripts', withoutScripts],
] as const;

test.each([
  [routePatterns.home, 1],
  [routePatterns.videoTest, 2],
])('the video of %s loads after the document, and plays silently and slowly in a loop', async (path, amount) => {
  const { page, events, reportedErrors } = await visit(path);
  const readVideos = () =>
    findVideo(page).evaluateAll((videos) =>
      videos.map((element) => {
        const { muted, loop, playbackRate, paused, currentTime } = element as HTMLVideoElement;
        const opacity = Number(getComputedStyle(element).opacity);

        return { muted, loop, playbackRate, paused, hasStarted: currentTime > 0, opacity };
      }),
    );
  await eventually(readVideos).toEqual(
    Array.from({ length: amount }, () => ({
      muted: true,
      loop: true,
      playbackRate: 0.5,
      paused: false,
      hasStarted: true,
      opacity: 0.8,
    })),
  );

  expect(events[0]).toBe('load');
  expect(events).toContain('video');
  expect(await findButton(page, 'Pause').count()).toBe(amount);
  expect(reportedErrors).toEqual([]);
});

test.each(reasons)('the video is not requested %s, and the picture is shown instead', async (_why, options) => {
  const { page, events } = await visit(routePatterns.home, options);
  await page.waitForLoadState('networkidle');

  expect(events).toEqual(['load']);
  expect(await findVideo(page).count()).toBe(0);
  expect(await findButton(page, 'Pause').count()).toBe(0);
  const picture = page.locator('main picture img').first();
  expect(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
});

test('keyboard users can pause and resume the video with a button', async () => {
  const { page } = await visit(routePatterns.home);
  await page.locator('main video[data-state=playing]').waitFor();

  await findButton(page, 'Pause').press('Enter');
  await findButton(page, 'Play').waitFor();
  expect(await isPaused(page)).toBe(true);
  const stoppedAt = await readTime(page);

  await findButton(page, 'Play').press('Space');
  await findButton(page, 'Pause').waitFor();
  await eventually(() => isPaused(page)).toBe(false);
  await eventually(() => readTime(page)).not.toBe(stoppedAt);
  expect(await findVideo(page).evaluate((video) => (video as HTMLVideoElement).playbackRate)).toBe(0.5);
});
