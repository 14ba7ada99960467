import type { Page } from 'playwright-core';

/** Milliseconds: more than the two seconds below which a form counts as sent by a program. */
const LONG_ENOUGH = 3_000;

/**
 * Has the visitor take time over the form that is shown. What is sent sooner is held as possible spam.
 */
export async function takeTime(page: Page): Promise<void> {
  await page.evaluate((milliseconds) => {
    const now = performance.now.bind(performance);
    performance.now = () => now() + milliseconds;
  }, LONG_ENOUGH);
}
