import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { routePatterns } from '../../shared/paths.ts';
import { eventually, serveSite } from './serve-site.ts';

const site = serveSite();

const VIDEO_FILE = /\.(webm|mp4)$/;
const findVideo = (page: Page) => page.locator('main video');
const findButton = (page: Page, action: 'Pause' | 'Play') =>
  page.getByRole('button', { name: `${action} background video` });
const isPaused = (page: Page) =>
  findVideo(page).evaluate((video) => (video as HTMLVideoElement).paused);
const readTime = (page: Page) =>
  findVideo(page).evaluate((video) => (video as HTMLVideoElement).currentTime);

/** Collects the requests for videos and the moment the document has loaded, in their order. */
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

const refuseAutoplay = (page: Page) =>
  page.addInitScript(() => {
    HTMLMediaElement.prototype.play = () =>
      Promise.reject(new DOMException('Not allowed.', 'NotAllowedError'));
  });

const reasons = [
  ['at 768 pixels', { viewport: { width: 768, height: 900 } }],
  ['on a phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
  ['where less motion is asked for', { reducedMotion: 'reduce' as const }],
  ['where data is to be saved', { prepare: saveData }],
  ['without JavaScript', { javaScriptEnabled: false }],
] as const;

const pagesWithVideo = [routePatterns.home, routePatterns.about, routePatterns.videoTest] as const;

describe.each(pagesWithVideo)('the video of %s', (path) => {
  const amount = path === routePatterns.videoTest ? 2 : 1;

  test('is asked for after the document has loaded, and plays silently, slowly, in a loop', async () => {
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

  // What decides is the same everywhere; the first page asks it everything.
  test.each(path === routePatterns.home ? reasons : reasons.slice(0, 1))('is not asked for %s; the picture is there instead', async (_why, options) => {
    const { page, events } = await visit(path, options);
    await page.waitForLoadState('networkidle');

    expect(events).toEqual(['load']);
    expect(await findVideo(page).count()).toBe(0);
    expect(await findButton(page, 'Pause').count()).toBe(0);
    const picture = page.locator('main picture img').first();
    expect(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBeGreaterThan(0);
  });

  test('that fails is reported to the console only, and the picture stays', async () => {
    const { page, reportedErrors } = await visit(path, {
      prepare: (opened) => opened.route(VIDEO_FILE, (route) => route.abort()),
    });
    const listReported = () => reportedErrors.filter((text) => /background video/i.test(text));
    await eventually(() => listReported().length).toBe(amount);
    await eventually(() => findVideo(page).count()).toBe(0);

    expect(await findButton(page, 'Pause').count()).toBe(0);
    const picture = page.locator('main picture').first();
    expect(await picture.getAttribute('data-state')).toBe('loaded');
    expect(await picture.evaluate((element) => getComputedStyle(element).visibility)).toBe('visible');
    expect(await page.locator('main').innerText()).not.toMatch(/fail|error/i);
  });
});

test('a video whose first file fails is played from its second', async () => {
  const { page, reportedErrors } = await visit(routePatterns.about, {
    prepare: (opened) => opened.route(/\.webm$/, (route) => route.abort()),
  });

  await eventually(() => findVideo(page).getAttribute('data-state')).toBe('playing');
  expect(reportedErrors.filter((text) => text.includes('background video'))).toEqual([]);
});

test('a screen one pixel wider than the mobile breakpoint gets the video', async () => {
  const { page } = await visit(routePatterns.about, { viewport: { width: 769, height: 900 } });

  await findVideo(page).waitFor();
});

test('a screen that gets narrow loses the video', async () => {
  const { page } = await visit(routePatterns.about);
  await findVideo(page).waitFor();
  await page.setViewportSize({ width: 768, height: 900 });

  await findVideo(page).waitFor({ state: 'detached' });
});

test('the video hides the picture behind it only once it plays', async () => {
  const { page } = await visit(routePatterns.about);
  const picture = page.locator('main picture').first();

  await page.locator('main video[data-state=playing]').waitFor();
  expect(await picture.evaluate((element) => getComputedStyle(element).visibility)).toBe('hidden');
});

test.each(['click', 'Enter', 'Space'])('a button pauses the video and plays it again, by %s', async (way) => {
  const { page } = await visit(routePatterns.home);
  const use = (action: 'Pause' | 'Play') =>
    way === 'click' ? findButton(page, action).click() : findButton(page, action).press(way);
  await page.locator('main video[data-state=playing]').waitFor();

  await use('Pause');
  await findButton(page, 'Play').waitFor();
  expect(await isPaused(page)).toBe(true);
  const stoppedAt = await readTime(page);
  await eventually(() => findVideo(page).evaluate((video) => getComputedStyle(video).opacity)).not.toBe('0');

  await use('Play');
  await findButton(page, 'Pause').waitFor();
  await eventually(() => isPaused(page)).toBe(false);
  await eventually(() => readTime(page)).not.toBe(stoppedAt);
  expect(await findVideo(page).evaluate((video) => (video as HTMLVideoElement).playbackRate)).toBe(0.5);
});

test('a video that may not start by itself is reported to the console only; the picture stays', async () => {
  const { page, reportedErrors } = await visit(routePatterns.home, { prepare: refuseAutoplay });
  await eventually(() => reportedErrors.filter((text) => /background video/i.test(text))).toHaveLength(1);

  const picture = page.locator('main picture').first();
  expect(await picture.evaluate((element) => getComputedStyle(element).visibility)).toBe('visible');
  expect(await page.locator('main').innerText()).not.toMatch(/fail|error/i);
});

test('a video that did not start by itself has a button that plays it', async () => {
  const { page } = await visit(routePatterns.home, { prepare: refuseAutoplay });

  await findButton(page, 'Play').waitFor({ timeout: 5_000 });
});

test('the video test page has two videos and a picture for where there is none', async () => {
  const { page } = await visit(routePatterns.videoTest);
  const figures = page.locator('main figure');
  await eventually(() => findVideo(page).count()).toBe(2);

  const videos = await figures.evaluateAll((elements) =>
    elements.map((figure) => [
      figure.querySelectorAll('video').length,
      figure.querySelectorAll('picture').length,
    ]),
  );
  expect(videos).toEqual([
    [1, 1],
    [1, 1],
    [0, 1],
  ]);
});
